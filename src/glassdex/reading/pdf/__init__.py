"""PDF: a reader, and the way back from a passage to the paper."""

from glassdex.reading.pdf.boxes import page_boxes, render_page
from glassdex.reading.pdf.reader import PdfReader

__all__ = ["PdfReader", "page_boxes", "render_page"]
