// Package bind binds the options that several commands have to the parts of their requests, and refuses what does not
// go together of them.
package bind

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse/postgres"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
)

// Reading binds the options of all commands that read trials.
func Reading(flags *pflag.FlagSet, r *evidence.Reading) {
	o := option.Of(flags)
	r.LineBytes, r.DocumentBytes = trial.DefaultMaxLineBytes, ingest.DefaultMaxDocumentBytes
	format := option.Word("FORMAT", "tribunal import --list-formats lists them", evidence.Formats()...)
	option.Bind(o, "from", &r.From, format)
	o.Text("map", &r.Map)
	option.BindOptional(o, "pass-score", &r.PassScore, option.Finite)
	o.Text("scorer", &r.Scorer)
	option.Bind(o, "trial-from", &r.Trial, option.Rule("RULE", ingest.ParseTrialRule))
	o.Switch("allow-duplicates", &r.Duplicates)
	option.Bind(o, "max-line-bytes", &r.LineBytes, option.Size)
	option.Bind(o, "max-document-bytes", &r.DocumentBytes, option.Size)
	o.Text("store", &r.Store.Name)
}

// Prices binds the option of prices, whose variable makes it the table of all that a person does.
func Prices(flags *pflag.FlagSet, p *evidence.Pricing) { option.Of(flags).Text("prices", &p.File) }

// NamesOfReading are the options that say something of files. Commands that also take counts refuse them there.
func NamesOfReading() []string {
	return []string{
		"from", "map", "pass-score", "scorer", "trial-from", "allow-duplicates", "max-line-bytes", "max-document-bytes",
		"prices",
	}
}

// CheckRows refuses what goes by trials, whose flags are named, and a file beside rows.
func CheckRows(a *world.World, flags *pflag.FlagSet, f *evidence.Rows, files []string, others ...string) error {
	if len(files) > 0 {
		return problem.Usage("give either rows or trials", "--counts does not go with files of trials, such as %s", files[0])
	}
	for _, name := range others {
		if base.Typed(flags, name) {
			return problem.Usage("give the trials themselves, or leave it out",
				"--%s needs trials, and --counts has counts of them",
				name)
		}
	}
	for _, name := range f.Files {
		// What a guest names is a file within its folder, and no host.
		if postgres.IsURL(name) && a.Guest != nil {
			return problem.Usage("name a file", "databases are not asked here")
		}
	}
	var names []string
	for _, name := range f.Files {
		if !postgres.IsURL(name) {
			names = append(names, name)
		}
	}
	return evidence.CheckNames(names, false)
}

// OnlyForFiles refuses flags that say how files are read where there are none. A
// variable may be there for other runs.
func OnlyForFiles(flags *pflag.FlagSet, names []string) error {
	for _, name := range names {
		if flags.Changed(name) && base.Origin(flags, name) == "--"+name {
			return problem.Usage("leave it out", "--%s says how files are read, and counts are given instead of files", name)
		}
	}
	return nil
}
