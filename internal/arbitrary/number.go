package arbitrary

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// usual is how far from 0 numbers are drawn that have no limit; chosen. One in ten is far beyond.
const usual = 1000

// number draws a number within the limits of a schema.
func (d *drawing) number(schema map[string]any, isWhole bool) any {
	low, hasLow := number(schema["minimum"])
	high, hasHigh := number(schema["maximum"])
	aboveLow, belowHigh := schema["exclusiveMinimum"] == true, schema["exclusiveMaximum"] == true // as of draft 4
	if x, ok := number(schema["exclusiveMinimum"]); ok && (!hasLow || x >= low) {
		low, hasLow, aboveLow = x, true, true
	}
	if x, ok := number(schema["exclusiveMaximum"]); ok && (!hasHigh || x <= high) {
		high, hasHigh, belowHigh = x, true, true
	}
	reach := float64(usual)
	if d.random.IntN(10) == 0 {
		reach = 1e9
	}
	switch {
	case !hasLow && !hasHigh:
		low, high = -reach, reach
	case !hasLow:
		low = high - reach
	case !hasHigh:
		high = low + reach
	}
	if step, ok := schema["multipleOf"].(json.Number); ok {
		if value, ok := d.multiple(step, low, high, isWhole); ok {
			return value
		}
	}
	if isWhole {
		return d.integer(math.Ceil(low), math.Floor(high), aboveLow, belowHigh)
	}
	x := low + d.random.Float64()*(high-low)
	switch d.random.IntN(6) {
	case 0:
		if x = low; aboveLow {
			x += (high - low) / 1000
		}
	case 1:
		if x = high; belowHigh {
			x -= (high - low) / 1000
		}
	case 2:
		x = math.Round(x)
	case 3:
		if low <= 0 && high >= 0 {
			x = 0
		}
	default: // as people write numbers
		x = math.Round(100*x) / 100
	}
	return json.Number(strconv.FormatFloat(x, 'f', -1, 64))
}

// integer draws a whole number, its limits and 0 more often than others.
func (d *drawing) integer(low, high float64, aboveLow, belowHigh bool) any {
	if aboveLow {
		low++
	}
	if belowHigh {
		high--
	}
	x := low + math.Floor(d.random.Float64()*(high-low+1))
	switch d.random.IntN(5) {
	case 0:
		x = low
	case 1:
		x = high
	case 2:
		if low <= 0 && high >= 0 {
			x = 0
		}
	}
	return json.Number(strconv.FormatFloat(min(max(x, low), high), 'f', -1, 64))
}

// multiple draws a multiple of a step, with its decimals exactly.
func (d *drawing) multiple(step json.Number, low, high float64, isWhole bool) (any, bool) {
	unit, ok := new(big.Rat).SetString(step.String())
	size, _ := number(step)
	if !ok || !(size > 0) {
		return nil, false
	}
	if isWhole && !unit.IsInt() {
		unit, size = new(big.Rat).SetInt64(unit.Num().Int64()), float64(unit.Num().Int64())
	}
	first, last := math.Ceil(low/size), math.Floor(high/size)
	if last < first || math.Abs(first) > 1e15 || math.Abs(last) > 1e15 {
		return nil, false
	}
	k := first + math.Floor(d.random.Float64()*(last-first+1))
	product := new(big.Rat).Mul(unit, new(big.Rat).SetInt64(int64(min(k, last))))
	decimals := 0
	if at := strings.IndexByte(step.String(), '.'); at >= 0 && !product.IsInt() {
		decimals = len(step.String()) - at - 1
	}
	return json.Number(product.FloatString(decimals)), true
}
