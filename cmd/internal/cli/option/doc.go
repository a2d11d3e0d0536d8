// Package option is the one table of options: what flags, help, completion, manual pages and the tools of MCP say of
// each is in a row of [Groups]. A command binds its options to the fields of a plain request, and has no other state:
//
//	o := option.Of(command.Flags())
//	o.Text("variant", &r.Variant)
//	option.Bind(o, "share", &r.Share, option.Level)
//	option.BindOptional(o, "max-cost", &r.MaxCost, option.Amount) // nil where nobody gave it
package option
