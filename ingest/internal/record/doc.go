// Package record is what every decoder of another tool's log stands on, and all that a
// decoder sees of the rest.
//
// A decoder is two functions. One looks at the beginning of a file, a [Shape], and says
// whether it is of its format. The other reads an [Input], as JSON values by
// [Input.Records], [Input.Values] or [Input.Document] or as lines by [Input.EachLine],
// and hands out trials by [Input.EmitTrace] or [Input.Emit].
//
// A [Node] is a JSON value whose shape is not to be relied on: looking for what is not
// there never fails, and what is not known stays unknown. Formats of which there is much go
// through a text with a [Cursor], which makes nothing of what they do not ask for, and let
// several goroutines do so by [PreparedRecords]. A [Trace] puts a trial
// together from the events of a log in their order: [Trace.SetInput], [Trace.AddAnswer],
// [Trace.AddCall], [Trace.SetResult]. Where the events come in any order, a [Timeline]
// sorts them first. What a decoder leaves out it tells its [Notes], in the words that are
// listed in omissions.go.
package record
