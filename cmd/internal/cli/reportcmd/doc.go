// Package reportcmd has the commands over saved results: report and verify.
package reportcmd
