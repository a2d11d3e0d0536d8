// Package betting judges the mean of values from 0 to 1 as often as anybody likes, whatever their distribution:
// outcomes of trials, scores, differences of pairs.
//
//	values := betting.Outcomes(36, 0)
//	if betting.Above(values, 0.9) >= -math.Log(0.05) {
//		// the mean is above 0.9: wrong with a chance of 0.05 at most, over all looks
//	}
//
// # What is promised
//
// Evidence that the mean is above m is what bets on it have made of 1. A bet with the share u, from 0 to 1, multiplies
// what there is by 1 + u(x-m)/m at a value x. Where the mean of each value, given those before, is at most m, so is
// that of the factor at most 1, and what is left is a supermartingale that begins with 1; the mean of several bets with
// fixed weights is one too. It ever reaches 1/error with a chance of error at most (Ville 1939), whenever one looks and
// however the values were stopped. The same holds from round to round of values whose means differ and have at most the
// mean m over a round: the mean of a product of independent factors is the product of their means, and that is at most
// 1 where their sum is at most their number.
//
// Every bet loses as m rises, so the m that are not ruled out are an interval; each of its [Limits] errs with alpha.
//
// # The bets
//
// A bet that stakes everything loses it with the first 0, and is the best there is where nothing ever fails. Others are
// for means that are less far above. Any weights are valid; these are chosen: 0.4 on everything, the rest evenly over
// the shares. Evidence that a mean is below has no bet on everything, as nobody expects a mean of 0. Evidence that a
// candidate is not worse has 0.2 on everything, which is that nothing breaks, and the rest by the density of the root
// of the share. With the likelihood ratio to a uniform prior (Robbins 1970), which decided before, 69 straight passes
// rule out a rate below 0.9; with these bets 34 do.
//
// Sources: Waudby-Smith and Ramdas 2024, Journal of the Royal Statistical Society B 86:1; Shafer 2021, Journal of the
// Royal Statistical Society A 184:407.
package betting
