package wire

import (
	"compress/gzip"
	"io"
	"net/http"

	"github.com/klauspost/compress/zstd"
)

// largestWindow is how far back a packed request may refer, which its reader holds: 8 MiB, as RFC 9659 has it for HTTP.
const largestWindow = 8 << 20

// unpack lets a request that was packed, as Codex packs those of ChatGPT, be read and go up as it was before. One in
// an encoding that is not known stays as it is.
func unpack(request *http.Request) error {
	var plain io.ReadCloser
	switch request.Header.Get("Content-Encoding") {
	case "gzip":
		z, err := gzip.NewReader(request.Body)
		if err != nil {
			return err
		}
		plain = z
	case "zstd":
		z, err := zstd.NewReader(request.Body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(largestWindow))
		if err != nil {
			return err
		}
		plain = z.IOReadCloser()
	default:
		return nil
	}
	request.Body = readCloser{plain, closers{plain, request.Body}}
	request.Header.Del("Content-Encoding")
	request.Header.Del("Content-Length")
	request.ContentLength = -1 // until it is read
	return nil
}

// closers close one thing after the other.
type closers []io.Closer

// Close closes them all, and returns the first error.
func (c closers) Close() (first error) {
	for _, one := range c {
		if err := one.Close(); first == nil {
			first = err
		}
	}
	return first
}
