// Package bind binds the options that several commands have to the parts of their requests, and refuses what does not
// go together of them.
package bind

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
)

// Reading binds the options of all commands that read trials.
func Reading(flags *pflag.FlagSet, r *evidence.ReadOptions) {
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
