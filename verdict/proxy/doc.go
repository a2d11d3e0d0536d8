// Package proxy judges an expensive target with the help of a cheap proxy that tried the same: whether that pays, and
// whether the target got worse. AgentAssay calls it multi-fidelity testing.
//
//	matched, err := proxy.Match(expensive, cheap) // two recordings
//	plan, err := proxy.For(matched, proxy.Options{TargetUSD: 0.15, ProxyUSD: 0.01})
package proxy
