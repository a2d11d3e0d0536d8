// Package clitest has what tests of commands share: an environment, a terminal and a clock.
package clitest
