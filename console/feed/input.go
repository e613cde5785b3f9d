package feed

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/contiv/contiv/api/model"
)

// Input is one thing that a feed received, and when. What a feed shows follows from its inputs alone: given the same
// again, it shows the same. Exactly one of the fields below At is set; an Input without any changes nothing.
type Input struct {
	At          time.Time            `json:"at"`
	Event       *model.Event         `json:"event,omitempty"` // of the watch stream
	Past        []model.HistoryEntry `json:"past,omitempty"`  // what was before it, as earlier versions recorded it
	Happened    *HappenedInput       `json:"happened,omitempty"`
	Nodes       *NodesInput          `json:"nodes,omitempty"`
	Pool        *PoolInput           `json:"pool,omitempty"`
	Answer      *AnswerInput         `json:"answer,omitempty"`
	Failure     *Failure             `json:"failure,omitempty"`
	Description *Description         `json:"description,omitempty"`
}

// HappenedInput is what the history and the timeline said that was not known before.
type HappenedInput struct {
	Changes  []model.HistoryEntry  `json:"changes,omitempty"`
	Findings []model.TimelineEvent `json:"findings,omitempty"`
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

// Description is an object with its operational state, as earlier versions recorded it.
type Description struct {
	Kind string `json:"kind"`
	Key  string `json:"key"`
	Text string `json:"text,omitempty"` // YAML
	Err  string `json:"err,omitempty"`
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
	a.Value, err = topics[in.Question.Topic].decode(in.Question, in.Value)
	return err
}

// Record hands everything that the feed receives to recorder, from now on. It is called before Run or Once. recorder must not
// change what it is given, and may block: the feed then waits, while the screen does not.
func (f *Feed) Record(recorder func(Input)) { f.store.recorder = recorder }

// record hands an input to the recorder, if there is one.
func (s *store) record(in Input) {
	if s.recorder != nil {
		in.At = s.now()
		s.recorder(in)
	}
}

// apply gives the store an input again.
func (s *store) apply(in *Input) {
	switch {
	case in.Event != nil:
		s.event(*in.Event)
	case in.Past != nil:
		s.applyHappened(HappenedInput{Changes: in.Past})
	case in.Happened != nil:
		s.applyHappened(*in.Happened)
	case in.Nodes != nil:
		s.nodes(in.Nodes.List)
	case in.Pool != nil:
		s.pool(in.Pool.Key, in.Pool.Pool)
	case in.Description != nil && in.Description.Err == "":
		s.answer(Question{Topic: Text, Kind: in.Description.Kind, Key: in.Description.Key}, in.Description.Text, nil)
	case in.Failure != nil:
		s.failed(errors.New(in.Failure.Err), in.Failure.Stream)
	case in.Answer != nil && in.Answer.Err != "":
		s.answer(in.Answer.Question, nil, errors.New(in.Answer.Err))
	case in.Answer != nil:
		s.answer(in.Answer.Question, in.Answer.Value, nil)
	}
}
