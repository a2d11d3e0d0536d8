// Package frameworks reads what libraries to build agents with write: OpenAI Agents SDK,
// LangChain and LangSmith, CrewAI, AutoGen, smolagents, Semantic Kernel, Google ADK.
package frameworks
