// Package labels draws trials of a judged recording for a person to label, on a sheet that does not show what the judge
// said, and reads the labels back.
//
//	var r labels.Recording
//	r.Add(t) // each trial
//	sheet, err := labels.Draw(&r, 40, seed)
//	err = sheet.WriteCSV(file)
//
// Beside the sheet stands its key, which has what the judge said of the trials that were drawn, how many trials it
// passed, and digests of the recording: with it [Key.Read] and [Key.Check] turn a labelled sheet into the two-phase
// sample of package twophase, or say why it is none.
package labels
