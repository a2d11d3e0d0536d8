//go:build !unix

package ingest

import "errors"

func makePipe(string) error { return errors.ErrUnsupported }
