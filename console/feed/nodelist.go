package feed

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/contiv/contiv/api/model"
)

// nodeList decodes the list of nodes, which is asked for again and again and of which little changes.
type nodeList struct {
	raw   []byte
	items []json.RawMessage // of raw
	nodes []model.Node
}

// decode reads a list, and keeps raw. What is as it was in the list before is not decoded again; a list that is the same is the same
// slice.
func (l *nodeList) decode(raw []byte) ([]model.Node, error) {
	if l.raw != nil && bytes.Equal(raw, l.raw) {
		return l.nodes, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
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
	l.raw, l.items, l.nodes = raw, items, nodes
	return nodes, nil
}
