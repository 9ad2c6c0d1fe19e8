"""Drawings for the benchmark suites and the documents: bars beside bars, line charts, curves. Writes SVG by hand, so that
nothing has to be installed.
"""

import math
from html import escape

COLOURS = ("#1f5f8b", "#e07b39", "#5a9367", "#8c8c8c", "#b0413e", "#6f4e9c", "#2fa8a0", "#c9a227")
GREY = "#555555"


class Drawing:
    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def text(self, x, y, text, anchor="start", size=12, colour="#111111", bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:.3g}" '
                          f'fill="{colour}"{weight}>{escape(str(text))}</text>')

    def tilted(self, x, y, text, size=11, colour="#111111"):
        """Ends at this point, coming from below."""
        self.parts.append(f'<text transform="translate({x:.1f},{y:.1f}) rotate(-30)" text-anchor="end" font-size="{size}" '
                          f'fill="{colour}">{escape(str(text))}</text>')

    def area(self, points, colour, opacity=1.0):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polygon points="{path}" fill="{colour}" fill-opacity="{opacity}"/>')

    def line(self, points, colour=GREY, width=1.0, dash=""):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dashes}/>')

    def bar(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>')

    def circle(self, x, y, radius, fill, edge=None):
        outline = f' stroke="{edge}" stroke-width="1.5"' if edge else ""
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}"{outline}/>')

    def arrow(self, start, end, colour, bend=0, gap=11):
        """From one point to another, leaving a gap at both; bent to its right by this much."""
        (x1, y1), (x2, y2) = start, end
        length = math.hypot(x2 - x1, y2 - y1)
        along, across = ((x2 - x1) / length, (y2 - y1) / length), (-(y2 - y1) / length, (x2 - x1) / length)
        middle = ((x1 + x2) / 2 + bend * across[0] * -1, (y1 + y2) / 2 + bend * across[1] * -1)

        def towards(point, other):
            distance = math.hypot(other[0] - point[0], other[1] - point[1])
            return (point[0] + gap * (other[0] - point[0]) / distance, point[1] + gap * (other[1] - point[1]) / distance)

        (x1, y1), (x2, y2) = towards(start, middle), towards(end, middle)
        self.parts.append(f'<path d="M {x1:.1f} {y1:.1f} Q {middle[0]:.1f} {middle[1]:.1f} {x2:.1f} {y2:.1f}" fill="none" '
                          f'stroke="{colour}" stroke-width="1.3"/>')
        angle = math.atan2(y2 - middle[1], x2 - middle[0])
        tips = [(x2 - 7 * math.cos(angle + turn), y2 - 7 * math.sin(angle + turn)) for turn in (0.4, -0.4)]
        self.area([(x2, y2), *tips], colour)

    def dot(self, x, y, colour, radius=3, opacity=1.0):
        faint = f' fill-opacity="{opacity}"' if opacity < 1 else ""
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}"{faint}/>')

    def legend(self, x, y, names):
        """The names in a row, each beside its colour."""
        for name, colour in zip(names, COLOURS):
            self.bar(x, y - 9, 11, 11, colour)
            self.text(x + 16, y, name)
            x += 16 + 7 * len(name) + 20

    def write(self, path):
        path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                        f'font-family="DejaVu Sans, Helvetica, Arial, sans-serif">\n'
                        f'<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(self.parts) + "\n</svg>\n",
                        encoding="utf-8")


def grouped_bars(drawing, left, top, width, height, groups, series, tilt=False):
    """Bars of 0 to 100 per cent, or more if need be. groups: the labels below; series: a list of values for each colour."""
    base = top + height
    most = max(100, *(20 * math.ceil(value / 20) for values in series for value in values))
    for percent in range(0, most + 1, 20):
        y = base - height * percent / most
        drawing.line([(left, y), (left + width, y)], "#dddddd")
        drawing.text(left - 6, y + 4, f"{percent} %", "end", 11, GREY)
    group_width = width / len(groups)
    bar_width = group_width * 0.8 / len(series)
    size = 11 if bar_width > 24 else bar_width / 2.3       # of the values above the bars
    for g, label in enumerate(groups):
        start = left + g * group_width + group_width * 0.1
        if tilt:
            drawing.tilted(start + group_width * 0.5, base + 16, label)
        else:
            drawing.text(start + group_width * 0.4, base + 18, label, "middle")
        for s, values in enumerate(series):
            x, tall = start + s * bar_width, height * values[g] / most
            drawing.bar(x, base - tall, bar_width - 2, tall, COLOURS[s])
            drawing.text(x + (bar_width - 2) / 2, base - tall - 4, percents(values[g]), "middle", size)


def percents(value):
    return f"{value:.0f}" if value >= 0.95 or value == 0 else f"{value:.1g}"


def round_step(most):
    """1, 2 or 5 times a power of ten, such that at most five steps lead to `most`."""
    return next(unit * 10.0**power for power in range(-6, 15) for unit in (1, 2, 5) if most / (unit * 10.0**power) <= 5)


def scale(drawing, left, top, width, height, most, show=lambda value: f"{value:g}"):
    """Lines across the chart with their values on the left, from zero up."""
    step = round_step(most)
    for count in range(int(most / step) + 1):
        y = top + height - height * count * step / most
        drawing.line([(left, y), (left + width, y)], "#dddddd")
        drawing.text(left - 5, y + 4, show(count * step), "end", 10, GREY)


def value_bars(drawing, left, top, width, height, groups, series, tilt=False):
    """Bars from zero up, with the value above each; a value may be None."""
    most = 1.1 * max((value for of in series for value in of if value is not None), default=0) or 1
    scale(drawing, left, top, width, height, most)
    base, group_width = top + height, width / len(groups)
    bar_width = group_width * 0.85 / len(series)
    for g, label in enumerate(groups):
        start = left + g * group_width + group_width * 0.08
        if tilt:
            drawing.tilted(start + group_width * 0.5, base + 16, label)
        else:
            drawing.text(start + group_width * 0.4, base + 18, label, "middle")
        for s, of in enumerate(series):
            if of[g] is not None:
                x, tall = start + s * bar_width, height * of[g] / most
                drawing.bar(x, base - tall, bar_width - 1, tall, COLOURS[s])
                text = short(of[g])
                drawing.text(x + (bar_width - 1) / 2, base - tall - 3, text, "middle", min(8, bar_width / 0.6 / len(text)))


def short(value):
    return f"{value:.0f}" if value >= 99.5 or isinstance(value, int) else f"{value:.2g}" if value < 0.95 else f"{value:.1f}"


def line_chart(drawing, left, top, width, height, title, ticks, series, highest=None):
    """One small chart from zero up. ticks: the x values, evenly spaced; series: for each colour a list of y
    values, None: no point; highest: what there is room for, so that two charts can have the same scale."""
    most = 1.1 * (highest or max((value for values in series for value in values if value is not None), default=1))
    base = top + height
    scale(drawing, left, top, width, height, most)
    drawing.text(left, top - 8, title, bold=True)
    margin = width * 0.15
    places = [left + margin + (width - 2 * margin) * i / max(1, len(ticks) - 1) for i in range(len(ticks))]
    for place, tick in zip(places, ticks):
        drawing.text(place, base + 15, tick, "middle", 11)
    for values, colour in zip(series, COLOURS):
        points = [(x, base - height * value / most) for x, value in zip(places, values) if value is not None]
        drawing.line(points, colour, 2)
        for x, y in points:
            drawing.dot(x, y, colour)


def power_text(power):
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:g}"


def log_axes(drawing, left, top, width, height, x_range, y_range, across, down=False):
    """Both scales by powers of ten, with words for the one across; `down`: lines down, too. Returns where a point is."""
    (low_x, high_x), (low_y, high_y) = ((math.log10(low), math.log10(high)) for low, high in (x_range, y_range))

    def place(x, y):
        return (left + width * (math.log10(x) - low_x) / (high_x - low_x),
                top + height * (1 - (math.log10(y) - low_y) / (high_y - low_y)))

    for power in range(math.ceil(low_y), math.floor(high_y) + 1):
        _, y = place(x_range[0], 10.0**power)
        drawing.line([(left, y), (left + width, y)], "#dddddd")
        drawing.text(left - 8, y + 4, power_text(power), anchor="end", size=11, colour=GREY)
    for power in range(math.ceil(low_x), math.floor(high_x) + 1):
        x, _ = place(10.0**power, y_range[0])
        if down:
            drawing.line([(x, top), (x, top + height)], "#dddddd")
        drawing.text(x, top + height + 18, power_text(power), anchor="middle", size=11, colour=GREY)
    drawing.text(left + width, top + height + 36, across, anchor="end", size=11, colour=GREY)
    return place


def log_chart(drawing, left, top, width, height, title, across, series):
    """Lines through (x, y) points, one colour each, from one power of ten to another."""
    points = [point for line in series for point in line]
    ranges = [(10.0**math.floor(math.log10(min(values))), 10.0**math.ceil(math.log10(max(values)))) for values in zip(*points)]
    drawing.text(left, top - 12, title, bold=True)
    place = log_axes(drawing, left, top, width, height, *ranges, across)
    for line, colour in zip(series, COLOURS):
        drawn = [place(x, y) for x, y in line]
        if len(drawn) > 1:
            drawing.line(drawn, colour, 2)
        for x, y in drawn:
            drawing.dot(x, y, colour)


def thinned(points, most_x, places):
    """Not more points than there are places for: of those at the same place, the highest."""
    highest = {}
    for x, y in points:
        place = int(places * x / most_x)
        if place not in highest or y > highest[place][1]:
            highest[place] = (x, y)
    return [points[0], *highest.values(), points[-1]]


def curves(drawing, left, top, width, height, series, across, up, fill=False, bars=False):
    """Lines through (x, y) points from zero up, one colour each, with words for the axes. Returns where an x is."""
    most_x = max(x for points in series for x, _ in points) + bars or 1
    most_y = 1.08 * max(y for points in series for _, y in points) or 1
    base = top + height
    scale(drawing, left, top, width, height, most_y, lambda value: f"{value:,.0f}")
    step = round_step(most_x)

    def place(x):
        return left + width * x / most_x

    for count in range(int(most_x / step) + 1):
        drawing.text(place(count * step), base + 15, f"{count * step:,.0f}", "middle", 10, GREY)
    drawing.text(left + width, base + 32, across, "end", 11, GREY)
    drawing.text(left - 60, top - 8, up, "start", 11, GREY)
    for points, colour in zip(series, COLOURS):
        drawn = [(place(x), base - height * y / most_y) for x, y in thinned(points, most_x, 2 * width)]
        if bars:
            for x, y in drawn:
                drawing.bar(x, y, max(width / len(drawn), 0.5), base - y, colour)
            continue
        if fill:
            drawing.area([(drawn[0][0], base), *drawn, (drawn[-1][0], base)], colour, 0.25)
        drawing.line(drawn, colour, 1.5)
    return place
