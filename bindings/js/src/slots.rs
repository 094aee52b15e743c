//! Values behind handles: JavaScript keeps a number instead of the value.

/// A list with free places. A handle is never 0.
pub(crate) struct Slots<T> {
    places: Vec<Option<T>>,
    holes: Vec<u32>,
}

impl<T> Slots<T> {
    /// Stores a value and returns its handle, or 0 if there are too many.
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        if let Some(handle) = self.holes.pop()
            && let Some(place) = self.place(handle)
        {
            *place = Some(value);
            return handle;
        }
        let Ok(handle) = u32::try_from(self.places.len() + 1) else {
            return 0;
        };
        self.places.push(Some(value));
        handle
    }

    /// The value behind a handle.
    pub(crate) fn get(&self, handle: u32) -> Option<&T> {
        let index = usize::try_from(handle).ok()?.checked_sub(1)?;
        self.places.get(index)?.as_ref()
    }

    /// The value behind a handle, mutable.
    #[cfg(feature = "contracts")]
    pub(crate) fn get_mut(&mut self, handle: u32) -> Option<&mut T> {
        self.place(handle)?.as_mut()
    }

    /// Drops the value behind a handle. A later value may get the same handle.
    pub(crate) fn remove(&mut self, handle: u32) {
        if self
            .place(handle)
            .is_some_and(|place| place.take().is_some())
        {
            self.holes.push(handle);
        }
    }

    fn place(&mut self, handle: u32) -> Option<&mut Option<T>> {
        let index = usize::try_from(handle).ok()?.checked_sub(1)?;
        self.places.get_mut(index)
    }
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            holes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Slots;

    #[test]
    fn a_handle_is_used_again_after_its_value_is_gone() {
        let mut slots = Slots::default();
        let (a, b) = (slots.insert("a"), slots.insert("b"));
        assert_eq!((slots.get(a), slots.get(b)), (Some(&"a"), Some(&"b")));
        slots.remove(a);
        slots.remove(a);
        assert_eq!(slots.get(a), None);
        let c = slots.insert("c");
        assert_eq!((c, slots.get(c), slots.get(b)), (a, Some(&"c"), Some(&"b")));
        let d = slots.insert("d");
        assert!(d != b && d != c);
        for unknown in [0, 99] {
            slots.remove(unknown);
            assert_eq!(slots.get(unknown), None);
        }
    }
}
