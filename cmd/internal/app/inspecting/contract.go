package inspecting

import (
	"context"

	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/verdict/compliance"
)

// ContractRequest asks whether recorded trials keep a contract.
type ContractRequest struct {
	Contract string   // a file
	Files    []string // of trials, at least one
	Reading  evidence.ReadOptions
	Variant  string // "" is all of them
	Result   deliver.Target
}

// CheckContract checks trials against the clauses of a contract. It reads the contract first: a mistake in it should
// not cost the reading of the traces.
func CheckContract(ctx context.Context, a *world.World, r ContractRequest) error {
	if err := evidence.CheckNames(r.Files, r.Reading.Duplicates); err != nil {
		return err
	}
	to, err := r.Result.File(ctx, a, append([]string{r.Contract}, r.Files...))
	if err != nil {
		return err
	}
	if err := r.Result.Spared("--output", to, r.Files, r.Reading.EveryFile()); err != nil {
		return err
	}
	c, err := evidence.LoadContract(ctx, r.Contract)
	if err != nil {
		return err
	}
	summary := contract.NewSummary(c)
	// No fields are left out: a clause may speak of any of them.
	options := r.Reading.Options(r.Variant, 0)
	// The contract is what judges.
	options.Unjudged = true
	// Trials are checked one by one and forgotten; only the summary is kept.
	err = evidence.Read(ctx, a, r.Files, options, evidence.Counted,
		func(t *trial.Trial) { summary.Add(t, c.Check(ctx, t)) })
	if err != nil {
		return evidence.Naming("variant", err)
	}
	// With 0 the intervals have the usual level. They decide nothing: a single
	// violation counts.
	result, err := compliance.Judge(summary, 0)
	if err != nil {
		return err
	}
	return r.Result.Conclude(ctx, a, to, result)
}
