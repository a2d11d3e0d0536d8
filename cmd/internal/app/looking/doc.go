// Package looking counts how often a question is judged, in a ledger beside the suite or the recording, and says what
// that does to the errors of a verdict. [Looks] are plain data; package looks has the ledger.
package looking
