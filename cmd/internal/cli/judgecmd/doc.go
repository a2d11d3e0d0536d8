// Package judgecmd has the commands about who judges a trial: judge, label and judge-check, and rank, for judges that
// compare two answers.
package judgecmd
