package bridge

import (
	"context"
	"log/slog"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Options are the settings of a Reconciler; the zero value of each means its default.
type Options struct {
	Log        *slog.Logger  // nil: no log
	Resync     time.Duration // between whole comparisons; 30 s
	RetryFirst time.Duration // before a refused owner or a failed connection is tried again; 100 ms, doubled up to
	RetryMost  time.Duration // 10 s
}

// Compiler turns a State into flows, owner by owner; pipeline.Pipeline is one.
type Compiler interface {
	Tables() flow.Tables
	Owners(s *ofnet.State) []ofnet.Key
	Compile(s *ofnet.State, owner ofnet.Key) flow.Set
	Touched(s *ofnet.State, key ofnet.Key) []ofnet.Key
}

// The Reconciler's methods, to code against; bodies follow in the next commits:
//
//	func NewReconciler(self string, c Compiler, sw Connector, o Options) *Reconciler
//	func (r *Reconciler) Run(ctx context.Context) error
//	func (r *Reconciler) Update(rev uint64, change func(s *ofnet.State) (touched []ofnet.Key))
//	func (r *Reconciler) Wait(ctx context.Context, rev uint64) error
//	func (r *Reconciler) Revision() uint64
//	func (r *Reconciler) Connected() bool
//	func (r *Reconciler) Status() []OwnerStatus
//	func (r *Reconciler) Summary() Summary
//	func (r *Reconciler) Counters() Counters
//	func (r *Reconciler) Flows(ctx context.Context) ([]LiveFlow, error)
//	func (r *Reconciler) Ports(ctx context.Context) ([]Port, error)
//	func NewFake() *Fake                     // a Connector in memory
//	func NewOpenFlow(path string) *OpenFlow  // a Connector to <bridge>.mgmt
var _ context.Context
