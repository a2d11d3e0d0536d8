package signature

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// These were made by minisign 0.11: minisign -G -W, minisign -S -m note.txt and, without a hash of the
// text first, minisign -S -l -m note.txt.
const (
	note   = "signed by minisign\n"
	public = `untrusted comment: minisign public key 4BD32C6F91FBAAED
RWTtqvuRbyzTS68bClfmCFUCDk9ILFCZOK0kmNfOsXbgTMCO45Nshlm+
`
	private = `untrusted comment: minisign encrypted secret key
RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA7ar7kW8s00sSASSbtzXlwM57Zux5VNgygC8SdPpGpoHTGNdtgGJu6q8bClfmCFUCDk9ILFCZOK0kmNfOsXbgTMCO45Nshlm+AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
`
	hashed = `untrusted comment: signature from minisign secret key
RUTtqvuRbyzTSxlj9K+NHa4l3K+0EJ/eMD0KGDgoM1Ipu8hr/iqJAVWX8GD8gkPbIMREgSZ4akcyGo3RSrEKqqeRh40aqSMmQAc=
trusted comment: timestamp:1795423253	file:note.txt	hashed
Wr03nSjCtl9wm9dupcHA3Pel9Xx29LBq0wWKcLE1aXyjtKzxapv4t2qlZWW6Rvrhqw0uihiC/bRhhaKqJ10yDA==
`
	plain = `untrusted comment: signature from minisign secret key
RWTtqvuRbyzTS2yW1Vx11qIca6BztFwmolONsgXCRPMORbp5WyZEZDcMsIemXkfsRDUtZZ1q89gu9txPVnBce02RUfPQcM/wpgk=
trusted comment: timestamp:1795423253	file:note.txt
Bu4evUbj538N5h1C/kTo2JqjhGId5YZg0VQ2fzudfWwY3u43m2iBWxs2pfld0Ru1GF+1qInWZ2G2ULLYmEzGBA==
`
)

func in(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The signatures of the program minisign hold, of its own text alone.
func TestSignaturesOfMinisign(t *testing.T) {
	trusted, err := ReadTrusted([]string{in(t, "k.pub", public)})
	if err != nil {
		t.Fatal(err)
	}
	for name, signature := range map[string]string{"hashed": hashed, "plain": plain} {
		file := in(t, "note.txt", note)
		if err := trusted.Check(file, []byte(note)); err == nil || !strings.Contains(err.Error(), "is not signed") {
			t.Errorf("%s: without a signature: %v", name, err)
		}
		for text, want := range map[string]string{signature: "", strings.Replace(signature, "timestamp:", "timestamp:9",
			1): "is not what was signed",
			"nothing": "is no signature of minisign"} {
			if err := os.WriteFile(file+Extension, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			err := trusted.Check(file, []byte(note))
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: %v; want %q", name, err, want)
			}
		}
		if err := os.WriteFile(file+Extension, []byte(signature), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := trusted.Check(file, []byte("another text")); err == nil {
			t.Errorf("%s: another text has the signature", name)
		}
	}
}

// What is signed by its key is what minisign's public key checks.
func TestSign(t *testing.T) {
	key, err := ReadKey(in(t, "k.key", private), nil)
	if err != nil {
		t.Fatal(err)
	}
	trusted, err := ReadTrusted([]string{strings.Split(public, "\n")[1]})
	if err != nil {
		t.Fatal(err)
	}
	file := in(t, "x.json", "{}")
	signature := key.Sign("folder/x\ny.json", []byte("{}"))
	if !strings.Contains(string(signature), "\ntrusted comment: file:x_y.json\thashed\n") {
		t.Errorf("%s", signature)
	}
	if err := os.WriteFile(file+Extension, signature, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := trusted.Check(file, []byte("{}")); err != nil {
		t.Error(err)
	}
	if err := trusted.Check("-", []byte("{}")); err == nil {
		t.Error("standard input has a signature")
	}
	// Nobody is asked for where no key is named.
	if none, err := ReadTrusted(nil); err != nil || none.Check("gone", nil) != nil {
		t.Errorf("%v, %v", none, err)
	}
}
