package workload

import (
	"fmt"
	"math/big"
	"strings"
)

// The published distributions, as short tables of the points that matter. Where a published table
// is long, ours keeps 25 of its points, chosen so that the cumulative distribution is nowhere off
// by more than the stated share of flows and the mean is within 1 % of the whole table's. Means are
// by linear interpolation between points, which is also how we draw.
var (
	// WebSearch is the query, control and background traffic of a search cluster. Mean 1.71 MB.
	WebSearch = MustDistribution("websearch",
		"web search: Alizadeh et al., Data Center TCP (DCTCP), SIGCOMM 2010, as used in HPCC, SIGCOMM "+
			"2019", []Point{
			{1, 0}, {10_000, 150_000}, {20_000, 200_000}, {30_000, 300_000}, {50_000, 400_000},
			{80_000, 530_000}, {200_000, 600_000}, {1_000_000, 700_000}, {2_000_000, 800_000},
			{5_000_000, 900_000}, {10_000_000, 970_000}, {30_000_000, 1_000_000},
		})

	// WebServer is the traffic of web servers within their cluster. Mean 62.6 KB; at most 0.4 % of
	// flows off.
	WebServer = MustDistribution("webserver",
		"Facebook web server, intra-cluster: Roy et al., Inside the Social Network's (Datacenter) "+
			"Network, SIGCOMM 2015", []Point{
			{50, 0}, {72, 42_700}, {107, 87_000}, {201, 161_600}, {301, 215_000}, {429, 222_700},
			{879, 264_100}, {1067, 308_920}, {1479, 345_560}, {1904, 401_500}, {2881, 472_570},
			{4472, 544_450}, {6382, 597_780}, {9487, 646_300}, {15_690, 694_080}, {27_118, 738_900},
			{46_569, 777_580}, {74_833, 803_700}, {154_043, 830_760}, {362_535, 959_300},
			{390_285, 970_400}, {442_606, 983_300}, {565_213, 990_700}, {753_537, 995_740},
			{1_000_000, 1_000_000},
		})

	// Hadoop is the traffic of a Hadoop cluster. Mean 122.8 KB; at most 1.1 % of flows off.
	Hadoop = MustDistribution("hadoop",
		"Facebook Hadoop: Roy et al., Inside the Social Network's (Datacenter) Network, SIGCOMM 2015 "+
			"(Homa's W4)", []Point{
			{50, 0}, {222, 17_500}, {300, 52_000}, {326, 137_500}, {365, 189_580}, {480, 263_900},
			{600, 459_100}, {749, 556_840}, {859, 586_700}, {1712, 668_040}, {5652, 696_280},
			{40_382, 741_660}, {49_813, 804_840}, {91_238, 880_100}, {111_177, 895_010},
			{189_618, 927_540}, {283_277, 952_570}, {470_507, 962_800}, {895_802, 971_360},
			{2_169_118, 987_000}, {2_944_602, 989_600}, {3_997_329, 992_200}, {5_426_418, 994_800},
			{7_366_423, 997_400}, {10_000_000, 1_000_000},
		})

	// CacheFollower is the traffic of cache followers within their cluster. Mean 688 KB; at most
	// 0.6 % of flows off.
	CacheFollower = MustDistribution("cachefollower",
		"Facebook cache follower, intra-cluster: Roy et al., Inside the Social Network's (Datacenter) "+
			"Network, SIGCOMM 2015", []Point{
			{50, 0}, {68, 20_400}, {144, 40_900}, {266, 53_900}, {340, 180_300}, {490, 277_000},
			{626, 315_200}, {707, 353_200}, {1042, 377_300}, {1096, 395_140}, {1538, 426_400},
			{2259, 442_380}, {4782, 465_400}, {19_352, 489_920}, {295_662, 646_840}, {338_223, 661_720},
			{500_167, 691_480}, {588_724, 713_800}, {1_503_111, 723_000}, {1_820_442, 789_920},
			{2_259_343, 860_600}, {2_506_773, 916_420}, {2_827_011, 974_000}, {3_105_433, 991_040},
			{3_837_698, 1_000_000},
		})

	// AlibabaStorage is the traffic of a storage cluster. Mean 40.9 KB.
	AlibabaStorage = MustDistribution("storage",
		"Alibaba storage 2019, published with HPCC: Li et al., HPCC: High Precision Congestion "+
			"Control, SIGCOMM 2019", []Point{
			{1, 0}, {4000, 229_300}, {8000, 692_100}, {16_000, 806_100}, {32_000, 904_700},
			{64_000, 935_300}, {128_000, 967_700}, {256_000, 975_300}, {2_000_000, 1_000_000},
		})

	// EDU1 and EDU2 are tables of our own, in the place of tables of two campus data centers, about
	// which only this was published: 60 % of flows below 10 KB, and 80 % below 20 KB and a larger
	// mean (Xiao et al., OFC, section IV-A2). Means 36.2 KB and 126 KB.
	EDU1 = MustDistribution("edu1", "our own table, 60 % of flows below 10 KB, after Xiao et al., OFC",
		[]Point{
			{100, 0}, {1000, 250_000}, {10_000, 600_000}, {30_000, 850_000}, {100_000, 960_000},
			{1_000_000, 1_000_000},
		})
	EDU2 = MustDistribution("edu2", "our own table, 80 % of flows below 20 KB, after Xiao et al., OFC",
		[]Point{
			{100, 0}, {1000, 300_000}, {20_000, 800_000}, {100_000, 930_000}, {1_000_000, 985_000},
			{10_000_000, 1_000_000},
		})

	// MemcachedETC is the value sizes of the ETC pool: discrete up to 15 bytes (the paper's Table
	// 5, empty values counted as one byte), a generalised Pareto tail above, cut off at Memcached's
	// largest value of 1 MB. Mean 185 B.
	MemcachedETC = memcachedETC()
)

func Distributions() []*Distribution {
	return []*Distribution{
		WebSearch, WebServer, Hadoop, MemcachedETC, CacheFollower, AlibabaStorage, EDU1, EDU2,
	}
}

// DistributionByName finds a published distribution; the error of an unknown name lists all names.
func DistributionByName(name string) (*Distribution, error) {
	var names []string
	for _, d := range Distributions() {
		if d.name == name {
			return d, nil
		}
		names = append(names, d.name)
	}
	return nil, fmt.Errorf("workload: no distribution is called %q; there are %s", name,
		strings.Join(names, ", "))
}

// MustDistribution is NewDistribution for constants of a program: it panics if one is wrong.
func MustDistribution(name, source string, points []Point) *Distribution {
	d, err := NewDistribution(name, source, points)
	if err != nil {
		panic(err)
	}
	return d
}

func memcachedETC() *Distribution {
	d := &Distribution{
		name: "memcached",
		source: "Facebook Memcached ETC: Atikoglu et al., Workload Analysis of a Large-Scale " +
			"Key-Value Store, SIGMETRICS 2012 (Homa's W1)",
		points: []Point{
			{1, 5830}, {2, 184_030}, {3, 276_420}, {4, 276_600}, {5, 304_000}, {6, 304_650}, {7, 310_710},
			{8, 310_940}, {9, 319_310}, {10, 327_680}, {11, 417_570}, {12, 418_490}, {13, 421_750},
			{14, 441_550}, {15, 470_000},
		},
		discrete: true,
		tail: &paretoTail{
			location: 15, scale: 214_476, shape: 348_238, limit: 1_000_000,
			// location + scale/(1-shape) (1 - (1 + shape (limit-location)/scale)^(1-1/shape))
			mean: big.NewRat(344_070_719, million),
		},
	}
	share := big.NewRat(int64(million-d.points[len(d.points)-1].PerMillion), million)
	d.mean = d.meanOfPoints()
	d.mean.Add(d.mean, share.Mul(share, d.tail.mean))
	return d
}
