package evidence

import (
	"context"
	"errors"
	"io/fs"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
)

const contractFirst = "name the contract first, and then the recordings"

// LoadContract reads a contract. What is wrong within it has its place already; what is
// wrong with the file gets the name that the person typed, and a hint for the arguments in
// the wrong order.
func LoadContract(ctx context.Context, file string) (*contract.Contract, error) {
	c, err := contract.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &trial.FileError{
			File: file, Problem: "does not exist", Advice: contractFirst, Err: err,
		}
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, &trial.FileError{File: file, Problem: "cannot be read: " + at.Err.Error(), Err: err}
	}
	if err != nil {
		return nil, app.OtherFile(ctx, file, "contract", contractFirst, err)
	}
	return c, nil
}
