package fleet

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
)

// Bounds of the files of a suite that travel. They are chosen: a suite with its agent's programs and data is well
// within.
const (
	maxBundleBytes = 256 << 20 // of all files together
	maxBundleFiles = 20_000
)

// leftOut are folders that no agent is made of.
var leftOut = map[string]bool{".git": true, ".tribunal": true}

// bundle is the folder of a suite as it travels.
type bundle struct {
	digest string // SHA-256 of data, in hexadecimal
	data   []byte // a tar file, compressed
}

// unpackable says why the files of a suite cannot travel.
func unpackable(file, problem, advice string) error {
	return &fault.Error{Problem: prose.FileName(file) + " " + problem, Advice: advice}
}

const ownFolder = "workers are sent the whole folder of the suite: give the suite a folder of its own"

// pack reads the folder of a suite. The same files give the same digest, wherever the folder is.
func pack(dir string) (*bundle, error) {
	var out bytes.Buffer
	compressed, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed) // a level that is there
	archive := tar.NewWriter(compressed)
	files, size := 0, int64(0)
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil || name == "." {
			return err
		}
		if entry.IsDir() && leftOut[entry.Name()] {
			return filepath.SkipDir
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if files++; files > maxBundleFiles {
			return unpackable(dir, fmt.Sprintf("has more than %d files", maxBundleFiles), ownFolder)
		}
		if size += info.Size(); info.Mode().IsRegular() && size > maxBundleBytes {
			return unpackable(dir, fmt.Sprintf("has files of more than %d MiB together", maxBundleBytes>>20), ownFolder)
		}
		return add(archive, file, filepath.ToSlash(name), info)
	})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(archive.Close(), compressed.Close()); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(out.Bytes())
	return &bundle{hex.EncodeToString(sum[:]), out.Bytes()}, nil
}

// add adds a file, a folder or a link. What else there is, such as a socket, is left out.
func add(archive *tar.Writer, file, name string, info fs.FileInfo) error {
	header := &tar.Header{Name: name, Mode: 0o600, Format: tar.FormatPAX}
	switch mode := info.Mode(); {
	case mode.IsDir():
		header.Typeflag, header.Name, header.Mode = tar.TypeDir, name+"/", 0o700
		return archive.WriteHeader(header)
	case mode&fs.ModeSymlink != 0:
		target, err := os.Readlink(file)
		if err != nil {
			return err
		}
		if filepath.IsAbs(target) || !filepath.IsLocal(filepath.Join(filepath.FromSlash(path.Dir(name)), target)) {
			return unpackable(file, "is a link that leads out of the folder of the suite", "put a copy in its place")
		}
		header.Typeflag, header.Linkname = tar.TypeSymlink, filepath.ToSlash(target)
		return archive.WriteHeader(header)
	case !mode.IsRegular():
		return nil
	case mode&0o100 != 0:
		header.Mode = 0o700
	}
	content, err := os.Open(file)
	if err != nil {
		return err
	}
	defer content.Close()
	header.Size = info.Size()
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	if n, err := io.Copy(archive, io.LimitReader(content, info.Size())); err != nil || n < info.Size() {
		return errors.Join(err, unpackable(file, "changed while it was read", "run again"))
	}
	return nil
}

// errUnpack says that what came is no bundle.
var errUnpack = errors.New("the files of the suite are not what they should be")

// unpack writes a bundle of a digest into a folder, and nothing outside of it.
func unpack(data []byte, digest, dir string) error {
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != digest {
		return fmt.Errorf("%w: their digest is another", errUnpack)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	compressed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%w: %w", errUnpack, err)
	}
	archive := tar.NewReader(io.LimitReader(compressed, maxBundleBytes+maxBundleFiles*4096))
	for files := 0; ; files++ {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%w: %w", errUnpack, err)
		case files >= maxBundleFiles:
			return fmt.Errorf("%w: there are too many", errUnpack)
		}
		if err := write(root, header, archive); err != nil {
			return fmt.Errorf("%w: %w", errUnpack, err)
		}
	}
}

// write writes one file. The root refuses names and links that lead out of it.
func write(root *os.Root, header *tar.Header, content io.Reader) error {
	name := filepath.FromSlash(strings.TrimSuffix(header.Name, "/"))
	switch header.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o700)
	case tar.TypeSymlink:
		return root.Symlink(filepath.FromSlash(header.Linkname), name)
	case tar.TypeReg:
	default:
		return fmt.Errorf("%q is neither a file nor a folder", header.Name)
	}
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fs.FileMode(header.Mode)&0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}

// bundled packs the folder of a suite, and tries that the suite can be read from there: a file that it names outside of
// its folder would be missing at every worker.
func bundled(ctx context.Context, s *suite.Suite, profile string) (*bundle, error) {
	b, err := pack(s.Dir())
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tribunal-bundle-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := unpack(b.data, b.digest, dir); err != nil {
		return nil, err
	}
	again, err := suite.LoadContext(suite.WithProfile(ctx, profile), filepath.Join(dir, filepath.Base(s.File)))
	if err != nil {
		return nil, unpackable(s.File, "cannot be read from its own folder alone: "+
			strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""), ownFolder+", with all files that it names")
	}
	if again.Digest() != s.Digest() {
		return nil, unpackable(s.File, "is another suite where its folder alone is there", "let it name no file outside")
	}
	return b, nil
}
