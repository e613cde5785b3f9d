// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"encoding/json"
	"fmt"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/oper"
)

// network is a network's configuration and state. There may be tens of thousands of endpoints, so theirs is what
// is kept of them.
func network(v *catalog.View, o *model.Network, n *catalog.Network) (rest.Spliced, error) {
	config, err := v.Text(o.Kind(), o.ObjectKey())
	if err != nil {
		return rest.Spliced{}, err
	}
	state := model.NetworkOper{}
	var items []json.RawMessage
	if n != nil {
		state = oper.Network(v, n)
		if items, err = oper.Texts(n.Members, n.Endpoints()); err != nil {
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
