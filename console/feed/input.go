// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/contiv/contiv/api/model"
)

// Input is one thing that a feed received, with its time. The output of a feed depends only on its inputs: given the same again, it shows
// the same. Exactly one of the fields below At is set; an Input without any changes nothing.
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

// HappenedInput has new entries of the history and the timeline.
type HappenedInput struct {
	Changes  []model.HistoryEntry  `json:"changes,omitempty"`
	Findings []model.TimelineEvent `json:"findings,omitempty"`
}

// NodesInput is an answer of the nodes route.
type NodesInput struct {
	List []model.Node `json:"list"`
}

// PoolInput is the result of a network's inspection.
type PoolInput struct {
	Key  string `json:"key"`
	Pool Pool   `json:"pool"`
}

// AnswerInput is the answer to a question, or why it did not come.
type AnswerInput struct {
	Question Question `json:"question"`
	Value    any      `json:"value,omitempty"` // of the type that the question's topic declares
	Err      string   `json:"err,omitempty"`
}

// Failure is why netmaster did not answer.
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

// UnmarshalJSON decodes an answer; the topic declares the type of the value.
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
