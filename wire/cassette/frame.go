package cassette

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

const (
	maxFrame = 256 << 20 // bytes of a line, unpacked
	checksum = 4         // bytes at the end of a frame
)

// errTorn says that a file ends within a frame.
var errTorn = errors.New("the file ends within a line")

// packer makes a frame of a line. Its options are known to be right, as are those of unpacker.
var packer = sync.OnceValue(func() *zstd.Encoder {
	e, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2))
	return e
})

// unpacker makes a line of a frame.
var unpacker = sync.OnceValue(func() *zstd.Decoder {
	d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxFrame))
	return d
})

// longLine is the length in bytes of the answer from which on a line is packed as it is written, and not held whole.
const longLine = 1 << 20

// packed is the frame of a line.
func packed(l line) ([]byte, error) {
	size := 0
	if l.Exchange != nil {
		for _, c := range l.Exchange.Chunks {
			size += len(c.Data)
		}
	}
	if size < longLine {
		text, err := json.Marshal(l)
		if err != nil {
			return nil, err
		}
		return packer().EncodeAll(text, nil), nil
	}
	e := *l.Exchange
	parts := e.Chunks
	e.Chunks, l.Exchange = nil, &e
	text, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	var frame bytes.Buffer
	z, err := zstd.NewWriter(&frame, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, err
	}
	text, before := bytes.TrimSuffix(text, []byte("}}")), `,"chunks":[` // the exchange is the last of the line
	for _, c := range parts {
		part, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		if _, err := z.Write(append(append(text, before...), part...)); err != nil {
			return nil, err
		}
		text, before = text[:0], ","
	}
	if _, err := z.Write([]byte("]}}")); err != nil {
		return nil, err
	}
	err = z.Close()
	return frame.Bytes(), err
}

// readFrame reads a frame as it is in the file; [io.EOF] is the end between two, and errTorn that within one.
func readFrame(from *bufio.Reader) ([]byte, error) {
	if _, err := from.Peek(1); err != nil {
		return nil, err
	}
	start, _ := from.Peek(zstd.HeaderMaxSize) // less of it at the end of a file
	var header zstd.Header
	if err := header.Decode(start); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) && len(start) < zstd.HeaderMaxSize {
			return nil, errTorn
		}
		return nil, fmt.Errorf("no frame of zstd begins here: %w", err)
	}
	if header.Skippable {
		return nil, errors.New("no frame of zstd with a line begins here")
	}
	frame, err := take(nil, from, header.HeaderSize)
	for last := false; err == nil && !last; {
		if frame, err = take(frame, from, 3); err != nil {
			break
		}
		block := frame[len(frame)-3:]
		bits := int(block[0]) | int(block[1])<<8 | int(block[2])<<16
		last = bits&1 == 1
		size := bits >> 3
		if bits>>1&3 == 1 { // one byte that is repeated
			size = 1
		}
		frame, err = take(frame, from, size)
	}
	if err == nil && header.HasCheckSum {
		frame, err = take(frame, from, checksum)
	}
	return frame, err
}

// take appends so many bytes to a frame.
func take(frame []byte, from io.Reader, n int) ([]byte, error) {
	if len(frame)+n > maxFrame {
		return nil, fmt.Errorf("a line is longer than %d bytes", maxFrame)
	}
	at := len(frame)
	frame = append(frame, make([]byte, n)...)
	if _, err := io.ReadFull(from, frame[at:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errTorn
		}
		return nil, err
	}
	return frame, nil
}
