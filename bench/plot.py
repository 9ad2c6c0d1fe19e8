"""Drawings for the benchmark suites: bars beside bars, and a row of small line charts. Writes SVG by hand, so that
nothing has to be installed.
"""

from html import escape

COLOURS = ("#1f5f8b", "#e07b39", "#5a9367", "#8c8c8c")
GREY = "#555555"


class Drawing:
    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def text(self, x, y, text, anchor="start", size=12, colour="#111111", bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
                          f'fill="{colour}"{weight}>{escape(str(text))}</text>')

    def line(self, points, colour=GREY, width=1.0, dash=""):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dashes}/>')

    def bar(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>')

    def dot(self, x, y, colour):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')

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


def grouped_bars(drawing, left, top, width, height, groups, series):
    """Bars of 0 to 100 per cent. groups: the labels below; series: a list of values for each colour."""
    base = top + height
    for percent in range(0, 101, 20):
        y = base - height * percent / 100
        drawing.line([(left, y), (left + width, y)], "#dddddd")
        drawing.text(left - 6, y + 4, f"{percent} %", "end", 11, GREY)
    group_width = width / len(groups)
    bar_width = group_width * 0.8 / len(series)
    for g, label in enumerate(groups):
        start = left + g * group_width + group_width * 0.1
        drawing.text(start + group_width * 0.4, base + 18, label, "middle")
        for s, values in enumerate(series):
            x, tall = start + s * bar_width, height * values[g] / 100
            drawing.bar(x, base - tall, bar_width - 2, tall, COLOURS[s])
            drawing.text(x + (bar_width - 2) / 2, base - tall - 4, f"{values[g]:.0f}", "middle", 11)


def line_chart(drawing, left, top, width, height, title, ticks, series):
    """One small chart from zero up. ticks: the x values, evenly spaced; series: for each colour a list of y
    values, None: no point."""
    most = 1.1 * max((value for values in series for value in values if value is not None), default=1)
    base = top + height
    step = next(unit * 10.0**power for power in range(-4, 9) for unit in (1, 2, 5)
                if most / (unit * 10.0**power) <= 5)
    for count in range(int(most / step) + 1):
        y = base - height * count * step / most
        drawing.line([(left, y), (left + width, y)], "#dddddd")
        drawing.text(left - 5, y + 4, f"{count * step:g}", "end", 10, GREY)
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
