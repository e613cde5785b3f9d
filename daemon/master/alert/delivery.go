// SPDX-License-Identifier: Apache-2.0

package alert

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	prometheus "github.com/prometheus/common/model"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/sanitize"
)

// delivery keeps one receiver up to date.
type delivery struct {
	*Notifier
	to      *Receiver
	wake    chan struct{} // holds one after an Update
	waiting atomic.Int64
}

// run sends what differs until ctx ends: changes at once, and firing alerts again at each multiple of the resend interval, so that a change of
// the leader repeats none of them. It retries a receiver that fails after a pause that doubles.
func (d *delivery) run(ctx context.Context) {
	resend := d.nextResend()
	pause, retry := time.Duration(0), time.Time{} // after a failure
	for {
		next := resend
		if !retry.IsZero() {
			next = retry
		}
		timer := time.NewTimer(next.Sub(d.Now()))
		select {
		case <-d.wake:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		now := d.Now()
		switch {
		case ctx.Err() != nil:
			return
		case now.Before(retry):
			continue
		}
		again := !now.Before(resend)
		if err := d.round(ctx, now, again); err != nil {
			pause = min(max(2*pause, d.Pause), maxPause)
			retry = d.Now().Add(pause)
			continue
		}
		pause, retry = 0, time.Time{}
		if again {
			resend = d.nextResend()
		}
	}
}

// nextResend returns the next multiple of the resend interval.
func (d *delivery) nextResend() time.Time { return d.Now().Truncate(d.Resend).Add(d.Resend) }

// round sends the changes of alerts, and with again also the firing ones. It records what the receiver accepts, and whether it fails.
func (d *delivery) round(ctx context.Context, now time.Time, again bool) error {
	var steps []step
	var failing *record.AlertReceiver
	d.Catalog.View(func(v *catalog.View) {
		steps, failing = d.plan(v, now, again), v.AlertReceiver(d.to.ID)
	})
	d.waiting.Store(int64(len(slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return !s.changes() }))))
	if len(steps) == 0 && failing != nil {
		steps = []step{{}} // without alerts: it shows that the receiver accepts requests again
	}
	for part := range slices.Chunk(steps, atOnce) {
		var alerts []*prometheus.Alert
		for i := range part {
			alerts = append(alerts, part[i].alerts...)
		}
		if err := d.to.Send(ctx, alerts); err != nil {
			return d.failed(ctx, failing, now, err)
		}
		d.Notifier.sent.Add(uint64(len(alerts)))
		if err := d.accepted(ctx, part, failing); err != nil {
			return err
		}
		failing = nil
		d.waiting.Add(-int64(len(part)))
	}
	d.waiting.Store(0)
	return nil
}

// failed records that the receiver fails, once, and returns the error.
func (d *delivery) failed(ctx context.Context, failing *record.AlertReceiver, now time.Time, err error) error {
	if ctx.Err() != nil {
		return err
	}
	d.Notifier.failed.Add(1)
	if failing != nil {
		return err
	}
	d.Log.Warn("alerts not sent; retrying", "address", d.to.URL, "error", err)
	r := &record.AlertReceiver{ID: d.to.ID, URL: d.to.URL, Since: now.UTC().Truncate(time.Second), Error: sanitize.Line(err.Error(), errorSize)}
	if _, stored := d.Commit.Do(ctx, func(tx *commit.Tx) error { return tx.Put(record.AlertReceivers+r.ID, r) }); stored != nil && ctx.Err() == nil {
		d.Log.Warn("recording a receiver of alerts failed", "address", d.to.URL, "error", stored)
	}
	return err
}

// accepted records what the receiver knows now. It blocks until the store has that.
func (d *delivery) accepted(ctx context.Context, part []step, failing *record.AlertReceiver) error {
	if failing != nil {
		d.Log.Info("the receiver accepts alerts again", "address", d.to.URL)
	} else if !slices.ContainsFunc(part, step.changes) {
		return nil
	}
	at, err := d.Commit.Do(ctx, func(tx *commit.Tx) error {
		if failing != nil {
			tx.Delete(record.AlertReceivers + failing.ID)
		}
		for _, s := range part {
			switch {
			case s.put != nil:
				if err := tx.Put(record.Alerts+s.put.Key, s.put); err != nil {
					return err
				}
			case s.remove != "":
				tx.Delete(record.Alerts + s.remove)
			}
		}
		return nil
	})
	if err == nil {
		err = d.Catalog.Wait(ctx, at) // the next plan knows it
	}
	if err != nil && ctx.Err() == nil {
		d.Log.Warn("recording sent alerts failed; they are sent again", "address", d.to.URL, "error", err)
	}
	return err
}
