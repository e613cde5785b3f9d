// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"errors"
	"fmt"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/skew"
	"github.com/contiv/contiv/daemon/store"
)

// ErrFormat means that this build does not know the format of the store's records. The error's text has the remedy.
var ErrFormat = errors.New("the store is of another build")

// readable returns ErrFormat for a store whose records this build does not know, and otherwise the error of reading their format.
func readable(ctx context.Context, db store.Store) error {
	it, err := db.Read(ctx, record.FormatKey)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return knows(nil)
	case err != nil:
		return err
	}
	return knows(it.Value)
}

// knows returns ErrFormat unless this build knows the format that a value at record.FormatKey states.
func knows(value []byte) error {
	format, err := record.ParseFormat(value)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w: restore the store from a snapshot", ErrFormat, err)
	case format > skew.Records.Newest:
		return fmt.Errorf("%w: its records have format %d, this netmaster knows %s: start a netmaster of the build that wrote them, or of a later one", ErrFormat, format, skew.Records)
	case format < skew.Records.Oldest:
		return fmt.Errorf("%w: its records have format %d, this netmaster knows %s: upgrade to a release between them first", ErrFormat, format, skew.Records)
	}
	return nil
}
