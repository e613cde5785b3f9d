// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/describe"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// Topic is a kind of question.
type Topic uint8

// The topics. topics declares the names of a Question about each, and the type of its answer.
const (
	Flows Topic = iota
	Rules
	Addresses
	AddressHistory
	Leadership
	History
	State
	Why
	Text
	Leader
	Drift
	DryRun
	DockerNetworks
	PodMatrix
	Health
	Observed
	TrendsNow
	MasterPairs
	Logs
	Described
	Find
	Load
)

// topic declares a Topic.
type topic struct {
	name     string        // in recordings
	interval time.Duration // between two requests while a page shows it
	limit    time.Duration // for the answer
	rate     bool          // pages show the difference of two answers
	ask      func(ctx context.Context, f *Feed, q Question) (any, error)
	decode   func(q Question, text json.RawMessage) (any, error)
}

// about declares a topic by the function that asks a question about it. The type of the answer follows from that.
func about[T any](name string, every time.Duration, ask func(ctx context.Context, f *Feed, q Question) (T, error)) topic {
	return topic{name: name, interval: every, limit: askTimeout,
		ask:    func(ctx context.Context, f *Feed, q Question) (any, error) { return ask(ctx, f, q) },
		decode: func(_ Question, text json.RawMessage) (any, error) { return decodeAs[T](text) }}
}

func decodeAs[T any](text json.RawMessage) (any, error) {
	var v T
	err := json.Unmarshal(text, &v)
	return v, err
}

// loadInterval is the interval of the counters on a page that is open all day.
const loadInterval = 10 * time.Second

// maxLogLines bounds the requested lines of a log.
const maxLogLines = 300

// maxFound bounds the requested results of a search.
const maxFound = 100

// maxHistory bounds the requested entries of a history.
const maxHistory = 200

// topics declares every Topic. A comment names what a Question about it sets.
var topics = [...]topic{
	Flows: rated(about("flows", time.Second, func(ctx context.Context, f *Feed, q Question) ([]model.Flow, error) { // Host
		return f.client.Flows(ctx, q.Host, "", "")
	})),
	Rules: rated(about("rules", 2*time.Second, func(ctx context.Context, f *Feed, q Question) (out []model.RuleStatus, err error) { // Host
		err = f.client.Inspect(ctx, q.Host, "rules", url.Values{}, &out)
		return out, err
	})),
	Addresses: about("addresses", 5*time.Second, func(ctx context.Context, f *Feed, q Question) ([]model.AddressState, error) { // Key of a network
		return f.client.Addresses(ctx, q.addresses())
	}),
	AddressHistory: about("ledger", 5*time.Second, func(ctx context.Context, f *Feed, q Question) ([]model.AddressEntry, error) { // Key of a network, Detail: the address
		return f.client.Ledger(ctx, q.addresses())
	}),
	Leadership: about("leadership", time.Second, func(ctx context.Context, f *Feed, _ Question) (model.Leadership, error) {
		return f.client.Leadership(ctx)
	}),
	History: about("history", 5*time.Second, func(ctx context.Context, f *Feed, q Question) ([]model.HistoryEntry, error) { // Kind and Key
		return f.client.History(ctx, client.HistoryQuery{Kind: q.Kind, Key: q.Key, Limit: maxHistory})
	}),
	State: {name: "state", interval: 5 * time.Second, limit: askTimeout, ask: askState, decode: decodeState}, // Kind and Key; the kind's Inspect type
	Why: within(15*time.Second, about("why", 10*time.Second, func(ctx context.Context, f *Feed, q Question) (model.Why, error) { // Why
		return f.client.Why(ctx, q.Why) // netmaster queries the switches on the path, one after the other
	})),
	Text: about("text", 5*time.Second, func(context.Context, *Feed, Question) (string, error) { // only in recordings of earlier versions
		return "", errors.New("replaced by the page of the object")
	}),
	Described: rated(within(10*time.Second, about("described", 5*time.Second, func(ctx context.Context, f *Feed, q Question) (describe.Document, error) { // Kind, "" of a node, and Key
		return f.describe(ctx, q)
	}))),
	Leader: about("lead", 4*time.Second, func(ctx context.Context, f *Feed, _ Question) (model.Leadership, error) { // without terms, and with only the leader's leases
		return f.client.Lead(ctx)
	}),
	Drift: about("drift", 5*time.Second, func(ctx context.Context, f *Feed, q Question) (model.Drift, error) { // Host
		return f.client.Drift(ctx, q.Host, false)
	}),
	DryRun: about("trial", 5*time.Second, func(ctx context.Context, f *Feed, q Question) (DryRunResult, error) { // Detail: a model.ApplyRequest as JSON
		return f.dryRun(ctx, q.Detail)
	}),
	DockerNetworks: about("docknets", 5*time.Second, func(ctx context.Context, f *Feed, _ Question) ([]model.DockerNetwork, error) {
		return f.client.DockerNetworks(ctx)
	}),
	PodMatrix: about("podmatrix", 3*time.Second, func(ctx context.Context, f *Feed, q Question) (model.WorkloadMatrix, error) { // Key: a namespace
		return f.client.Matrix(ctx, q.Key)
	}),
	Health: about("health", 2*time.Second, func(ctx context.Context, f *Feed, _ Question) (model.Health, error) {
		return f.client.Health(ctx)
	}),
	Observed: about("observed", 2*time.Second, func(ctx context.Context, f *Feed, _ Question) ([]model.Observed, error) {
		return f.observed(ctx)
	}),
	MasterPairs: about("pairs", 2*time.Second, func(ctx context.Context, f *Feed, _ Question) (model.MasterPairs, error) {
		return f.client.MasterPairs(ctx)
	}),
	Logs: about("logs", 2*time.Second, func(ctx context.Context, f *Feed, q Question) (model.LogLines, error) { // Host, Detail: the part
		return f.client.Logs(ctx, q.Host, q.Detail, "", maxLogLines)
	}),
	Find: about("find", 5*time.Second, func(ctx context.Context, f *Feed, q Question) (model.FindAnswer, error) { // Key: a text
		return f.client.Find(ctx, q.Key, maxFound)
	}),
	TrendsNow: rated(about("trends", 2*time.Second, func(ctx context.Context, f *Feed, _ Question) (Trends, error) {
		return f.trends.look(ctx, f.client, f.store.now)
	})),
	Load: rated(about("load", loadInterval, func(ctx context.Context, f *Feed, _ Question) (Trends, error) { // as TrendsNow, less often
		return f.trends.look(ctx, f.client, f.store.now)
	})),
}

// rated is a topic of which pages show rates.
func rated(t topic) topic {
	t.rate = true
	return t
}

// within is a topic whose answers may take so long.
func within(limit time.Duration, t topic) topic {
	t.limit = limit
	return t
}

// Interval is the interval of a topic while a page shows it.
func (t Topic) Interval() time.Duration { return topics[t].interval }

// MarshalText is the topic's name.
func (t Topic) MarshalText() ([]byte, error) {
	if int(t) >= len(topics) {
		return nil, fmt.Errorf("topic %d has no name", t)
	}
	return []byte(topics[t].name), nil
}

// UnmarshalText reads a topic's name.
func (t *Topic) UnmarshalText(text []byte) error {
	i := slices.IndexFunc(topics[:], func(x topic) bool { return x.name == string(text) })
	if i < 0 {
		return fmt.Errorf("unknown topic %q", text)
	}
	*t = Topic(i)
	return nil
}

// ask asks one question. It blocks until the answer or ctx's end.
func (f *Feed) ask(ctx context.Context, q Question) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, topics[q.Topic].limit)
	defer cancel()
	return topics[q.Topic].ask(ctx, f, q)
}

// addresses is the request for the addresses of a network.
func (q Question) addresses() client.AddressQuery {
	tenant, network, _ := identity.Cut(q.Key)
	return client.AddressQuery{Tenant: tenant, Network: network, Address: q.Detail}
}

// DryRunResult is netmaster's result of a dry run.
type DryRunResult struct {
	Refused string              `json:"refused,omitempty"` // why it would refuse it; "": it would make it
	Results []model.ApplyResult `json:"results,omitempty"`
}

// dryRun checks whether a change would be refused. An error means that this is unknown.
func (f *Feed) dryRun(ctx context.Context, detail string) (DryRunResult, error) {
	var request model.ApplyRequest
	if err := json.Unmarshal([]byte(detail), &request); err != nil {
		return DryRunResult{}, fmt.Errorf("read the change: %w", err)
	}
	request.DryRun = true
	results, _, err := f.client.Apply(ctx, request)
	var refusal *model.Error
	if errors.As(err, &refusal) && !client.IsCode(err, model.CodeUnavailable) && !client.IsCode(err, model.CodeInternal) {
		return DryRunResult{Refused: refusal.Error()}, nil
	}
	return DryRunResult{Results: results}, err
}

// askState requests the operational state of an object.
func askState(ctx context.Context, f *Feed, q Question) (any, error) {
	switch q.Kind {
	case model.KindServiceLB().Name:
		return f.client.ServiceLBs().Inspect(ctx, q.Key)
	case model.KindBgp().Name:
		return f.client.Bgps().Inspect(ctx, q.Key)
	case model.KindNetworkPolicy().Name:
		return f.client.NetworkPolicies().Inspect(ctx, q.Key)
	case model.KindClusterNetworkPolicy().Name:
		return f.client.ClusterNetworkPolicies().Inspect(ctx, q.Key)
	case model.KindKubeService().Name:
		return f.client.KubeServices().Inspect(ctx, q.Key)
	}
	return nil, fmt.Errorf("unknown state of a %q", q.Kind)
}

func decodeState(q Question, text json.RawMessage) (any, error) {
	switch q.Kind {
	case model.KindServiceLB().Name:
		return decodeAs[*model.ServiceLBInspect](text)
	case model.KindBgp().Name:
		return decodeAs[*model.BgpInspect](text)
	case model.KindNetworkPolicy().Name:
		return decodeAs[*model.NetworkPolicyInspect](text)
	case model.KindClusterNetworkPolicy().Name:
		return decodeAs[*model.ClusterNetworkPolicyInspect](text)
	case model.KindKubeService().Name:
		return decodeAs[*model.KubeServiceInspect](text)
	}
	return nil, fmt.Errorf("unknown state of a %q", q.Kind)
}
