// Package prose writes what people read: counts with their noun, lists of names,
// texts of others made printable and cut to a length, and the word that somebody
// who mistyped one may have meant.
//
//	prose.Count(2, "pass")                        // 2 passes
//	prose.Or([]string{"pass", "fail", "error"})   // pass, fail or error
//	prose.Excerpt("red \x1b[31malert")            // red \x1b[31malert, with the escape spelled out
//	prose.DidYouMean("scenaros", keys)            // did you mean "scenarios"?
//
// It stands below every other package and uses the standard library alone. Widths
// in the columns of a terminal are those of package table.
package prose
