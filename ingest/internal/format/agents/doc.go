// Package agents reads what agents for the command line and hosted agents write: Claude
// Code, Codex, Gemini CLI, Amazon Bedrock Agents, and logs of the Model Context Protocol.
package agents
