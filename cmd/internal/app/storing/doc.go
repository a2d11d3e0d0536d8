// Package storing answers what is asked of a store: what it holds, its traces, baselines with names, the history of a
// suite, and scenarios that recorded trials make. It knows no flags.
package storing
