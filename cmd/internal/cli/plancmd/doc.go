// Package plancmd has the commands that reckon beforehand: plan, forecast, limits and prices.
package plancmd
