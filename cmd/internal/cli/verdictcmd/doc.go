// Package verdictcmd has the commands that judge trials which are there: verdict, of one version, compare, of two, and
// decide, while another program makes them.
package verdictcmd
