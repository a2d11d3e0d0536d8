// Package judging has the flags of how a verdict is reached: of intervals and errors ([Flags]), of a sequential test
// ([DesignFlags]) and of one against a baseline ([AgainstFlags]).
package judging
