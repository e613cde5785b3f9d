package feed

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
)

// Input is one thing that a feed was told, and when. What a feed shows follows from its inputs alone: told the same
// again, it shows the same. Exactly one of the fields below At is set; an Input without any changes nothing.
type Input struct {
	At          time.Time            `json:"at"`
	Event       *model.Event         `json:"event,omitempty"` // of the watch stream
	Past        []model.HistoryEntry `json:"past,omitempty"`  // what was before it
	Nodes       *NodesInput          `json:"nodes,omitempty"`
	Pool        *PoolInput           `json:"pool,omitempty"`
	Answer      *AnswerInput         `json:"answer,omitempty"`
	Failure     *Failure             `json:"failure,omitempty"`
	Description *Description         `json:"description,omitempty"`
}

// NodesInput is an answer of the nodes route.
type NodesInput struct {
	List []model.Node `json:"list"`
}

// PoolInput is what a network's inspect said.
type PoolInput struct {
	Key  string `json:"key"`
	Pool Pool   `json:"pool"`
}

// AnswerInput is the answer to a question, or why it did not come.
type AnswerInput struct {
	Question Question `json:"question"`
	Value    any      `json:"value,omitempty"` // of the type that the question's topic tells
	Err      string   `json:"err,omitempty"`
}

// Failure is why nothing was heard of netmaster.
type Failure struct {
	Err    string `json:"err"`
	Stream bool   `json:"stream,omitempty"` // the watch stream broke
}

// Description is an object with its operational state, that was asked for.
type Description struct {
	Kind string `json:"kind"`
	Key  string `json:"key"`
	Text string `json:"text,omitempty"` // YAML
	Err  string `json:"err,omitempty"`
}

// topicNames are what recordings call the topics.
var topicNames = []string{"flows", "rules", "addresses", "ledger", "leadership", "history", "state", "why", "text", "lead", "drift", "trial"}

// MarshalText is the topic's name.
func (t Topic) MarshalText() ([]byte, error) {
	if int(t) >= len(topicNames) {
		return nil, fmt.Errorf("topic %d has no name", t)
	}
	return []byte(topicNames[t]), nil
}

// UnmarshalText reads a topic's name.
func (t *Topic) UnmarshalText(text []byte) error {
	i := slices.Index(topicNames, string(text))
	if i < 0 {
		return fmt.Errorf("there is no topic %q", text)
	}
	*t = Topic(i)
	return nil
}

// UnmarshalJSON reads an answer; the topic says of what type the value is.
func (a *AnswerInput) UnmarshalJSON(text []byte) error {
	var in struct {
		Question Question        `json:"question"`
		Value    json.RawMessage `json:"value"`
		Err      string          `json:"err"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	a.Question, a.Err = in.Question, in.Err
	if in.Err != "" || len(in.Value) == 0 {
		return nil
	}
	var err error
	a.Value, err = in.Question.decode(in.Value)
	return err
}

// decode reads the value of an answer.
func (q Question) decode(text json.RawMessage) (any, error) {
	switch q.Topic {
	case Flows:
		return decodeAs[[]model.Flow](text)
	case Rules:
		return decodeAs[[]model.RuleStatus](text)
	case Addresses:
		return decodeAs[[]model.AddressState](text)
	case Ledger:
		return decodeAs[[]model.AddressEntry](text)
	case Leadership, Lead:
		return decodeAs[model.Leadership](text)
	case History:
		return decodeAs[[]model.HistoryEntry](text)
	case Reach:
		return decodeAs[model.Why](text)
	case Text:
		return decodeAs[string](text)
	case Drift:
		return decodeAs[model.Drift](text)
	case Trial:
		return decodeAs[Verdict](text)
	case State:
		switch q.Kind {
		case model.KindServiceLB().Name:
			return decodeAs[*model.ServiceLBInspect](text)
		case model.KindBgp().Name:
			return decodeAs[*model.BgpInspect](text)
		}
	}
	return nil, fmt.Errorf("the state of a %q is not known", q.Kind)
}

func decodeAs[T any](text json.RawMessage) (any, error) {
	var v T
	err := json.Unmarshal(text, &v)
	return v, err
}

// Record hands everything that the feed is told to tap, from now on. It is called before Run or Once. tap must not
// change what it is given, and may block: the feed then waits, while the screen does not.
func (f *Feed) Record(tap func(Input)) { f.store.tap = tap }

// told hands an input to the recorder, if there is one.
func (s *store) told(in Input) {
	if s.tap != nil {
		in.At = s.now()
		s.tap(in)
	}
}

// take tells the store once more what it was told when in was recorded.
func (s *store) take(in *Input) {
	switch {
	case in.Event != nil:
		s.event(*in.Event)
	case in.Past != nil:
		s.past(in.Past)
	case in.Nodes != nil:
		s.nodes(in.Nodes.List)
	case in.Pool != nil:
		s.pool(in.Pool.Key, in.Pool.Pool)
	case in.Failure != nil:
		s.failed(errors.New(in.Failure.Err), in.Failure.Stream)
	case in.Answer != nil && in.Answer.Err != "":
		s.answer(in.Answer.Question, nil, errors.New(in.Answer.Err))
	case in.Answer != nil:
		s.answer(in.Answer.Question, in.Answer.Value, nil)
	}
}
