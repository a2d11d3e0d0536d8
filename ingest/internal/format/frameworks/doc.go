// Package frameworks reads what libraries to build agents with write: OpenAI Agents SDK,
// LangChain and LangSmith, CrewAI, AutoGen, smolagents, Semantic Kernel, Google ADK.
//
// Each decoder has a file of its name, and a second one where the framework writes several
// things: langchain_message.go reads the messages that langchain.go (states, updates) and
// langchain_events.go (astream_events) share, and langsmith.go uses both; crewai.go reads
// logs and outputs, crewai_events.go the event bus; autogen.go is for version 0.4,
// autogen_old.go for 0.2; openai_agents.go reads traces, openai_agents_state.go the states of
// runs; adk.go reads sessions, adk_eval.go results of evaluations.
//
// They go one of two ways. Logs in the order in which things happened fill a
// [record.Trace] step by step. LangSmith, the OpenAI Agents SDK and the events of LangChain
// write spans in any order: these are collected in a [record.Timeline], which sorts them
// when the file, or the run, has ended.
//
// A decoder begins with predicates (isX) that tell its records from those of others by
// the names of members, for the sake of showsX; readX then takes the same records apart.
// Where a sample was not recorded but written from a framework's code, docs/import.md
// says so.
package frameworks
