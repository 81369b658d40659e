package shell

// picks walks through the combinations of what the variables of one command may hold.
type picks struct {
	order []string
	index map[string]int
	size  map[string]int
	blur  bool // more combinations than are walked: such a variable holds something unknown
}

func (p *picks) pick(key string, n int) int {
	if p == nil || n < 2 {
		return 0
	}
	if p.index == nil {
		p.index, p.size = map[string]int{}, map[string]int{}
	}
	if _, ok := p.index[key]; !ok {
		p.order = append(p.order, key)
		p.index[key] = 0
		p.size[key] = n
	}
	return min(p.index[key], n-1)
}

// next moves to the next combination; false when all were tried.
func (p *picks) next() bool {
	for i := len(p.order) - 1; i >= 0; i-- {
		key := p.order[i]
		if p.index[key]+1 < p.size[key] {
			p.index[key]++
			for _, later := range p.order[i+1:] {
				delete(p.index, later)
			}
			p.order = p.order[:i+1]
			return true
		}
	}
	return false
}
