// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"

	"github.com/contiv/contiv/ofnet/openflow"
)

// Ports lists the names of the ports of a bridge, by its management socket.
func Ports(ctx context.Context, socket string) (names []string, err error) {
	c, err := openflow.Dial(ctx, socket, openflow.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	err = c.List(ctx, &openflow.MultipartRequest{Part: openflow.PartPortDesc}, func(r *openflow.MultipartReply) {
		for _, p := range r.Ports {
			names = append(names, p.Name)
		}
	})
	return names, err
}
