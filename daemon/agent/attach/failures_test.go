// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

func TestFailures(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f := newFailures()
	first, second := &Request{ContainerID: "c1", Pod: &model.PodRequest{Namespace: "ns", Name: "web"}}, &Request{ContainerID: "c2", Pod: &model.PodRequest{Namespace: "ns", Name: "web"}}
	f.record(first, errors.New("no such network"), at)
	f.record(second, errors.New("no address left"), at.Add(time.Second))
	f.record(&Request{ContainerID: "c3"}, errors.New("no such group"), at)
	if got, want := f.by["pod/ns/web"].Failure, (Failure{"pod/ns/web", at.Add(time.Second), 2, "no address left"}); got != want || len(f.by) != 2 {
		t.Errorf("want %+v of two, got %+v", want, f.by)
	}
	f.record(second, nil, at.Add(2*time.Second))
	if _, still := f.by["pod/ns/web"]; still {
		t.Error("what has succeeded is no longer reported")
	}
	f.record(&Request{ContainerID: "c4"}, errors.New("no such group"), at.Add(failureKept+time.Second))
	if _, still := f.by["container/c3"]; still {
		t.Error("what is an hour old is no longer reported")
	}
	for i := range maxFailures + 5 {
		f.record(&Request{ContainerID: fmt.Sprintf("d%d", i)}, errors.New("x"), at.Add(failureKept+time.Duration(i)*time.Second))
	}
	if _, last := f.by[fmt.Sprintf("container/d%d", maxFailures+4)]; len(f.by) != maxFailures || !last {
		t.Errorf("want the last %d, got %d", maxFailures, len(f.by))
	}
}

// A failure is forgotten a minute after the runtime has detached the container, unless it tries again.
func TestFailuresEnd(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f := newFailures()
	names := func(now time.Time) (out []string) {
		for _, x := range f.list(now) {
			out = append(out, fmt.Sprintf("%s %d", x.Container, x.Tries))
		}
		return out
	}
	pod := func(id string) *Request {
		return &Request{ContainerID: id, Pod: &model.PodRequest{Namespace: "ns", Name: "web"}}
	}
	f.record(&Request{ContainerID: "c1", Name: "web"}, errors.New("no such network"), at)
	f.record(pod("p1"), errors.New("no such network"), at)
	f.end("c1", at)
	f.end("p1", at.Add(time.Second))
	f.end("other", at)
	for _, row := range []struct {
		after time.Duration
		again string // container of another attempt of the pod
		want  []string
	}{
		{10 * time.Second, "", []string{"container/web 1", "pod/ns/web 1"}},
		{30 * time.Second, "p2", []string{"container/web 1", "pod/ns/web 2"}},
		{endedKept + time.Second, "", []string{"pod/ns/web 2"}},
		{10 * time.Minute, "", []string{"pod/ns/web 2"}},
	} {
		now := at.Add(row.after)
		if row.again != "" {
			f.record(pod(row.again), errors.New("no such network"), now)
		}
		if got := names(now); !slices.Equal(got, row.want) {
			t.Errorf("after %v: got %q, want %q", row.after, got, row.want)
		}
	}
	f.end("p1", at.Add(10*time.Minute)) // of the attempt before
	if got := names(at.Add(12 * time.Minute)); len(got) != 1 {
		t.Errorf("the last attempt is not detached: got %q, want it", got)
	}
	f.end("p2", at.Add(12*time.Minute))
	if got := names(at.Add(14 * time.Minute)); got != nil {
		t.Errorf("after the last attempt was detached: got %q, want nothing", got)
	}
}
