// Package enum holds the words of enumerations.
package enum
