// Package mcp stands between an agent and its servers of tools, which speak the Model Context Protocol. It sees the
// calls of tools and what comes of them, and asks a route of the wire before each whether it may be made. Acts of the
// route may change which tools are offered, and what comes of a call; everything else passes byte by byte, in both
// directions.
//
//	bridge.go   a server that is a program, over its standard streams
//	proxy.go    a server at a URL, over streamable HTTP
//	session.go  what is read of the messages
//	change.go   what is put in their place
//	teller.go   the route, from within another process
//	config.go   the agent's configuration file
package mcp
