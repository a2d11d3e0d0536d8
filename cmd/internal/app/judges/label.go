package judges

import (
	"context"
	"encoding/json"
	"io"
	"os"

	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/labels"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// LabelRequest asks for judged trials that a person labels.
type LabelRequest struct {
	Files   []string // of judged trials, at least one
	Reading evidence.ReadOptions
	Variant string // whose trials are drawn from; "" is all of them
	Count   int    // trials to label
	Seed    uint64 // of what is drawn, and in which order
	Output  string // file of the sheet, which has its key beside it
}

// Label draws the trials, and writes the sheet and its key.
func Label(ctx context.Context, a *world.World, r LabelRequest) error {
	switch {
	case len(r.Files) == 0:
		return problem.Usage("such as tribunal judge label judged.jsonl --out sheet.csv",
			"there is nothing to label: name a recording")
	case r.Output == "" || r.Output == "-":
		return problem.Usage("such as --out sheet.csv", "name the sheet: it has a key beside it, and both are files")
	case evidence.KeyOf(r.Output) == r.Output:
		return problem.Usage("such as --out sheet.csv", "%s is the name of a key", r.Output)
	}
	if err := evidence.CheckNames(r.Files, r.Reading.Duplicates); err != nil {
		return err
	}
	var made [2]*outfile.File
	for i, name := range []string{r.Output, evidence.KeyOf(r.Output)} {
		if _, err := os.Lstat(name); err == nil {
			return problem.Usage("choose another name, or move it away", "%s is there already, and may have labels", name)
		}
		to, err := deliver.NewFileBeside("--output", name, r.Files)
		if err != nil {
			return err
		}
		if err := evidence.Spared("--output", to, r.Files, r.Reading.EveryFile()); err != nil {
			return err
		}
		made[i] = to
	}
	var recording labels.Recording
	err := evidence.Read(ctx, a, r.Files, evidence.LabelOptions(r.Reading.Options(r.Variant, 0)), evidence.Kept,
		func(t *trial.Trial) { recording.Add(t) })
	if err != nil {
		return evidence.Naming("variant", err)
	}
	sheet, err := labels.Draw(&recording, r.Count, r.Seed)
	if err != nil {
		return problem.BadInput("no sheet can be drawn: "+err.Error(), "tribunal judge judges a recording by a suite")
	}
	blank := sheet.Blank()
	if blank == len(sheet.Key.Rows) {
		return problem.BadInput("no sheet can be drawn: no trial has an output or steps by which a person could judge it",
			"the recording needs the field output, or steps")
	}
	if err := made[0].Fill(ctx, func(w io.Writer) error { return sheet.WriteCSV(w) }); err != nil {
		return err
	}
	key, err := json.MarshalIndent(sheet.Key, "", " ")
	if err != nil {
		return err
	}
	if err := made[1].Write(ctx, append(key, '\n')); err != nil {
		return err
	}
	if blank > 0 {
		a.Notice("warning", "%d of the %s %s neither output nor steps by which a person could judge", blank,
			prose.Count(len(sheet.Key.Rows), "row"), prose.Form(blank, "has", "have"))
	}
	r.tell(a, sheet.Key)
	return nil
}

// tell says what was drawn, and what is to be done with it.
func (r *LabelRequest) tell(a *world.World, k labels.Key) {
	if k.Errors > 0 {
		a.Notice("warning", "%s ended in an error, and nothing is drawn from them", prose.Count(k.Errors, "trial"))
	}
	if k.LeftOut > 0 {
		a.Notice("note", "%s left out: the judge did not judge %s", prose.Count(k.LeftOut, "trial"),
			prose.Form(k.LeftOut, "it", "them"))
	}
	if len(k.Rows) < r.Count {
		a.Notice("note", "there are no more than %s that a judge judged", prose.Count(k.Judged, "trial"))
	}
	a.Notice("note", "%s: %d of %s; write pass or fail into the column label of each row", r.Output, len(k.Rows),
		prose.Count(k.Judged, "judged trial"))
	a.Notice("note", "%s has what the judge said: keep it beside the sheet, and from whoever labels",
		evidence.KeyOf(r.Output))
}
