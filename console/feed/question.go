package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

// Topic is a kind of question.
type Topic uint8

// The topics, each with what a Question about it names and the type of its answer's value.
const (
	Flows      Topic = iota // Host; []model.Flow
	Rules                   // Host; []model.RuleStatus
	Addresses               // Key of a network; []model.AddressState
	Ledger                  // Key of a network, Detail: the address; []model.AddressEntry
	Leadership              // nothing; model.Leadership
	History                 // Kind and Key; []model.HistoryEntry
	State                   // Kind and Key; the kind's Inspect type
	Reach                   // Why; model.Why
	Text                    // Kind and Key; string: the object with its operational state, as YAML
	Lead                    // nothing; model.Leadership without terms, and of the leases the leader's alone
	Drift                   // Host; model.Drift
	Trial                   // Detail: a model.ApplyRequest as JSON; Verdict: whether it would be carried out, which it is not
)

// Verdict is what netmaster says of a change that it only tries.
type Verdict struct {
	Refused string              `json:"refused,omitempty"` // why it would refuse it; "": it would carry it out
	Results []model.ApplyResult `json:"results,omitempty"`
}

// Question is something that netmaster does not push and that is asked again and again while a page shows it.
type Question struct {
	Topic  Topic            `json:"topic"`
	Host   string           `json:"host,omitempty"`
	Kind   string           `json:"kind,omitempty"`
	Key    string           `json:"key,omitempty"`
	Detail string           `json:"detail,omitempty"`
	Why    model.WhyRequest `json:"why,omitzero"`
}

// Answer is the last answer to a question, and the one before, for rates.
type Answer struct {
	Value, Before any       // nil: none yet
	At, BeforeAt  time.Time // when they came
	Tried         time.Time // when it was asked last, whether that brought one or not
	Err           string    // why the last attempt brought none; Value is then the last good one
}

// Of is the value of the answer to a question, of the type that its topic tells; ok is false while there is none.
func Of[T any](s *Snapshot, q Question) (value T, a Answer, ok bool) {
	a = s.Answers[q]
	value, ok = a.Value.(T)
	return value, a, ok
}

// Every is how often a topic is asked while a page shows it.
func (t Topic) Every() time.Duration {
	switch t {
	case Flows, Leadership:
		return time.Second
	case Rules:
		return 2 * time.Second
	case Lead:
		return 4 * time.Second
	case Reach:
		return 10 * time.Second
	}
	return 5 * time.Second
}

// ask puts one question. It blocks until the answer or ctx's end.
func (f *Feed) ask(ctx context.Context, q Question) (any, error) {
	limit := askLimit
	if q.Topic == Reach { // netmaster asks the switches on the way, one after the other
		limit = reachLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tenant, network, _ := strings.Cut(q.Key, ":")
	switch q.Topic {
	case Flows:
		return f.client.Flows(ctx, q.Host, "", "")
	case Rules:
		var out []model.RuleStatus
		err := f.client.Inspect(ctx, q.Host, "rules", url.Values{}, &out)
		return out, err
	case Addresses:
		return f.client.Addresses(ctx, client.AddressQuery{Tenant: tenant, Network: network})
	case Ledger:
		return f.client.Ledger(ctx, client.AddressQuery{Tenant: tenant, Network: network, Address: q.Detail})
	case Leadership:
		return f.client.Leadership(ctx)
	case Lead:
		return f.client.Lead(ctx)
	case History:
		return f.client.History(ctx, client.HistoryQuery{Kind: q.Kind, Key: q.Key, Limit: historyAtOnce})
	case State:
		return f.state(ctx, q.Kind, q.Key)
	case Reach:
		return f.client.Why(ctx, q.Why)
	case Drift:
		return f.client.Drift(ctx, q.Host, false)
	case Trial:
		return f.try(ctx, q.Detail)
	case Text:
		kind, ok := model.KindOf(q.Kind)
		if !ok {
			return nil, fmt.Errorf("there is no kind %q", q.Kind)
		}
		return f.describe(ctx, kind, q.Key)
	}
	return nil, fmt.Errorf("no answer is known to question %v", q)
}

// try asks whether a change would be refused. An error says that this could not be found out.
func (f *Feed) try(ctx context.Context, detail string) (Verdict, error) {
	var request model.ApplyRequest
	if err := json.Unmarshal([]byte(detail), &request); err != nil {
		return Verdict{}, fmt.Errorf("read the change: %w", err)
	}
	request.DryRun = true
	results, _, err := f.client.Apply(ctx, request)
	var refusal *model.Error
	if errors.As(err, &refusal) && !client.IsCode(err, model.CodeUnavailable) && !client.IsCode(err, model.CodeInternal) {
		return Verdict{Refused: refusal.Error()}, nil
	}
	return Verdict{Results: results}, err
}

// reachLimit is for how long an answer about a way through the switches is waited for.
const reachLimit = 15 * time.Second

// historyAtOnce bounds the entries of a history that are asked for.
const historyAtOnce = 200

func (f *Feed) state(ctx context.Context, kind, key string) (any, error) {
	switch kind {
	case model.KindServiceLB().Name:
		return f.client.ServiceLBs().Inspect(ctx, key)
	case model.KindBgp().Name:
		return f.client.Bgps().Inspect(ctx, key)
	}
	return nil, fmt.Errorf("the console does not ask for the state of a %s", kind)
}
