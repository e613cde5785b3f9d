// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"fmt"

	"github.com/contiv/contiv/api/describe"
	"github.com/contiv/contiv/api/model"
)

// describe builds the page of an object, or of a node. Its rates follow from the sample before, so that they are known from the second time on.
func (f *Feed) describe(ctx context.Context, q Question) (describe.Document, error) {
	var k *model.Kind
	if q.Kind != "" {
		found, ok := model.KindOf(q.Kind)
		if !ok {
			return describe.Document{}, fmt.Errorf("unknown kind %q", q.Kind)
		}
		k = found
	}
	options := describe.Options{Now: f.store.now(), Rates: func(ctx context.Context, _ string) (describe.Rates, error) {
		t, err := f.trends.look(ctx, f.client, f.store.now)
		return describe.Rates{Known: t.Known, Lines: t.Lines, Silent: t.Silent}, err
	}}
	d, err := describe.Of(ctx, f.client, k, q.Key, options)
	if err != nil {
		return describe.Document{}, err
	}
	return *d, nil
}
