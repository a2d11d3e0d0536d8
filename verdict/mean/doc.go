// Package mean judges scores from 0 to 1 by their mean against a threshold, as often as anybody likes and whatever
// their distribution.
//
//	var scores mean.Scores
//	scores.Add(t) // each trial
//	result, err := mean.Judge(scores.Scenarios(), mean.Options{Threshold: 0.8})
//
// Evidence is by bets on the mean, see package betting: a Pass where the mean is below the threshold, and a Fail where
// it is not, have a chance of at most alpha each, over all analyses together. Nothing is assumed of the scores but that
// they are independent.
package mean
