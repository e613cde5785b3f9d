// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/contiv/contiv/api/model"
)

// nodeList decodes the list of nodes, which is polled and changes little.
type nodeList struct {
	text  string
	items []json.RawMessage // of text
	nodes []model.Node
}

// decode decodes a list. It does not decode unchanged nodes again; an unchanged list is the same slice.
func (l *nodeList) decode(text string) ([]model.Node, error) {
	if l.text != "" && text == l.text {
		return l.nodes, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal([]byte(text), &items); err != nil {
		return nil, fmt.Errorf("decode the nodes: %w", err)
	}
	nodes := make([]model.Node, len(items))
	for i, item := range items {
		if i < len(l.items) && bytes.Equal(item, l.items[i]) {
			nodes[i] = l.nodes[i]
			continue
		}
		if err := json.Unmarshal(item, &nodes[i]); err != nil {
			return nil, fmt.Errorf("decode the nodes: number %d: %w", i, err)
		}
	}
	l.text, l.items, l.nodes = text, items, nodes
	return nodes, nil
}
