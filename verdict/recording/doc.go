// Package recording holds what comparisons and sequential tests need of recorded trials. A
// [Recording] takes trials one by one ([Recording.Add]) or counts of them
// ([Recording.AddCount], [OfCounts]), and keeps outcomes, metrics and hashes of inputs, not
// contents. [Sides] and [TrialsOf] are the form that results hold.
//
//	r := &recording.Recording{Name: "candidate"}
//	for record, err := range trial.Read(file, trial.Options{}) {
//		if err != nil {
//			return err
//		}
//		r.Add(record)
//	}
//	counts := r.Counts(recording.ErrorsLeftOut)
//
// Where to look: recording.go takes trials in; table.go holds them by columns, which
// words.go can put aside on disk; metric.go names what is measured of them; group.go takes in what was
// counted elsewhere, with sums in place of values ([OfGroups]); steps.go keeps what is told of steps; errors.go counts
// outcomes, with errors scored one way or another; saved.go writes a recording into a result and reads it back;
// stopped.go knows how tests stopped its trials.
package recording
