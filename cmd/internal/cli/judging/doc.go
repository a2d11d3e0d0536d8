// Package judging has the flags of how a verdict is reached: of intervals and errors ([Flags]), of a sequential test
// ([DesignFlags]), of one against a baseline ([AgainstFlags]), and of how often one question is looked at
// ([LooksFlags]).
package judging
