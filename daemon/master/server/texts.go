package server

import (
	"encoding/json"
	"fmt"
	"iter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/oper"
	"github.com/contiv/contiv/daemon/record"
)

// show is how lists and inspection show an endpoint.
func show(e *record.Endpoint) (json.RawMessage, error) {
	text, err := json.Marshal(oper.Endpoint(e))
	if err != nil {
		return nil, fmt.Errorf("encode endpoint %s: %w", e.ID, err)
	}
	return text, nil
}

// texts lists endpoints as JSON; n is how many there are.
func texts(endpoints iter.Seq[*catalog.Member], n int) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, 0, n)
	for m := range endpoints {
		text, err := m.Text(show)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// keyed is the text of an endpoint as the watch stream has it: with its id as the key.
func keyed(m *catalog.Member) (json.RawMessage, error) {
	text, err := m.Text(show)
	if err != nil {
		return nil, err
	}
	key, err := json.Marshal(m.ID)
	if err != nil {
		return nil, fmt.Errorf("encode endpoint %s: %w", m.ID, err)
	}
	out := append(make(json.RawMessage, 0, len(text)+len(key)+8), `{"key":`...)
	out = append(append(out, key...), ',')
	return append(out, text[1:]...), nil // an endpoint is never an empty object
}

// inspectNetwork is a network's configuration and state. There may be tens of thousands of endpoints, so theirs is what
// is kept of them.
func inspectNetwork(v *catalog.View, o *model.Network, n *catalog.Network) (rest.Spliced, error) {
	config, err := v.Text(o.Kind(), o.ObjectKey())
	if err != nil {
		return rest.Spliced{}, err
	}
	state := model.NetworkOper{}
	var items []json.RawMessage
	if n != nil {
		state = oper.Network(v, n)
		if items, err = texts(n.Members, n.Endpoints()); err != nil {
			return rest.Spliced{}, err
		}
	}
	others, err := json.Marshal(state)
	if err != nil {
		return rest.Spliced{}, fmt.Errorf("encode the state of network %s: %w", o.ObjectKey(), err)
	}
	head := append([]byte(`{"Config":`), config...)
	head = append(head, `,"Oper":`...)
	if len(items) == 0 {
		return rest.Spliced{Head: append(append(head, others...), '}')}, nil
	}
	tail := []byte("]")
	if len(others) > len("{}") {
		tail = append(tail, ',')
	}
	tail = append(append(tail, others[1:]...), '}')
	return rest.Spliced{Head: append(head, `{"endpoints":[`...), Items: items, Tail: tail}, nil
}
