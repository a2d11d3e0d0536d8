package results

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/sampled"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// recordings are the recordings, without their sides.
func (r *VerifyRequest) recordings() (list []string) {
	for _, named := range r.Recordings {
		_, file := splitSide(named)
		list = append(list, file)
	}
	return list
}

// splitSide separates the name of a side from that of a file, which may have = itself.
func splitSide(named string) (side, file string) {
	for _, side := range []string{"baseline", "candidate"} {
		if file, found := strings.CutPrefix(named, side+"="); found {
			return side, file
		}
	}
	return "", named
}

// bySide are the files of each side of a result.
func (r *VerifyRequest) bySide(name string, result verdict.Result) (files [][]string, err error) {
	sides := verify.Sides(result)
	if t, ok := result.(*verdict.ThresholdResult); len(sides) == 0 || ok && t.Labels != nil {
		return nil, problem.BadInput(name+" does not follow from recordings alone",
			"omit --recording, which is for results of compare and of verdict; --journal is for those of run")
	}
	files = make([][]string, len(sides))
	for _, named := range r.Recordings {
		side, file := splitSide(named)
		if sides[0] == "" {
			side, file = "", named
		}
		at := slices.Index(sides, side)
		if at < 0 {
			return nil, problem.Usage("such as --recording baseline=main.jsonl --recording candidate=new.jsonl",
				"--recording %s does not say of which side it is", prose.FileName(named))
		}
		files[at] = append(files[at], file)
	}
	return files, nil
}

// follow reads the recordings again, and says what of the result was compared with them.
func (r *VerifyRequest) follow(
	ctx context.Context, a *world.World, name string, result verdict.Result,
) (lines []string, err error) {
	files, err := r.bySide(name, result)
	if err != nil {
		return nil, err
	}
	if err := r.Reading.Pricing.Load(nil); err != nil {
		return nil, err
	}
	for side, names := range files {
		if len(names) == 0 {
			continue
		}
		if err := evidence.CheckNames(names, r.Reading.Duplicates); err != nil {
			return nil, err
		}
		compared, err := r.followSide(ctx, a, result, side, names, "")
		// A file of several variants was read for the one that the side is named after.
		if several, ok := errors.AsType[*ingest.VariantError](err); ok && verify.Variant(result, side) != "" {
			compared, err = r.followSide(ctx, a, result, side, names, verify.Variant(result, side))
			if err != nil && errors.As(err, new(*ingest.VariantError)) {
				err = several
			}
		}
		if err != nil {
			return nil, err
		}
		whose := ""
		if role := verify.Sides(result)[side]; role != "" {
			whose = "the " + role + " "
		}
		lines = append(lines, fmt.Sprintf("%sfollows from %s: %s", whose, fileNames(names), compared))
	}
	if c, ok := result.(*compare.Result); ok && c.Sampled == nil && (c.Trials == nil || c.Trials.NoMetrics) {
		a.Notice("note", "%s holds no digests of its trials, as one of an earlier version or of counts: a trial that was "+
			"changed and has the outcome that it had is not found", prose.FileName(name))
	}
	return lines, nil
}

// followSide reads the recordings of one side.
func (r *VerifyRequest) followSide(
	ctx context.Context, a *world.World, result verdict.Result, side int, names []string,
	variant string,
) (string, error) {
	follower, err := verify.Follow(result, side)
	if err != nil {
		return "", err
	}
	o := r.Reading.Options(variant, sampled.Fields)
	files, err := evidence.FilesOf(ctx, a, names, o)
	if err != nil {
		return "", err
	}
	// Of one file a trial that is there twice shows in the counts, and no names are kept to find it by.
	if len(files) == 1 {
		o.AllowDuplicates = true
	}
	if err := evidence.Read(ctx, a, names, o, nil, follower.Add); err != nil {
		return "", err
	}
	compared, err := follower.Finish()
	if err != nil {
		return "", problem.BadInput(different(names, err),
			"the result was changed, or the recording was, or it is of other trials")
	}
	return compared, nil
}

// different says what differs in which file: that of a trial has its place in its text.
func different(names []string, err error) string {
	if d, ok := errors.AsType[interface {
		error
		Placed() bool
	}](err); ok && d.Placed() {
		return err.Error()
	}
	return fmt.Sprintf("%s: %s", fileNames(names), err)
}

// fileNames are those of files, for a person.
func fileNames(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = prose.FileName(name)
	}
	return strings.Join(list, ", ")
}
