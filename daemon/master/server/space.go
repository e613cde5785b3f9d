package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/daemon/store"
)

// space are metrics of the store's members, as they have said last.
type space struct {
	members                 func() []store.Member
	size, used, quota, full *prometheus.Desc
}

var _ prometheus.Collector = (*space)(nil)

func newSpace(members func() []store.Member) *space {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("contiv_master_store_"+name, help, []string{"member"}, nil)
	}
	return &space{
		members: members,
		size:    desc("size_bytes", "Size of the database of a member of the store."),
		used:    desc("used_bytes", "Bytes of it that are in use."),
		quota:   desc("quota_bytes", "Size from which on the member refuses what needs space. Missing when it does not tell."),
		full:    desc("full", "1 while the store has used up its quota and takes no changes."),
	}
}

// Describe is prometheus.Collector's.
func (s *space) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{s.size, s.used, s.quota, s.full} {
		out <- d
	}
}

// Collect is prometheus.Collector's. Of a member that does not answer there is nothing.
func (s *space) Collect(out chan<- prometheus.Metric) {
	if s.members == nil {
		return
	}
	told := map[string]struct{}{} // nothing keeps two members from having one name
	for _, m := range s.members() {
		if _, again := told[m.Name]; again || m.Err != nil {
			continue
		}
		told[m.Name] = struct{}{}
		tell := func(d *prometheus.Desc, value float64) {
			out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, m.Name)
		}
		full := 0.0
		if m.Full {
			full = 1
		}
		tell(s.full, full)
		tell(s.size, float64(m.Bytes))
		if m.InUse > 0 {
			tell(s.used, float64(m.InUse))
		}
		if m.Quota > 0 {
			tell(s.quota, float64(m.Quota))
		}
	}
}
